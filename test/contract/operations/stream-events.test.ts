/** streamEvents: GET /events/stream. */
import { describe, expect, test } from 'bun:test';
import type { Scope } from '../../../src/http/contract/scopes.ts';
import type { Stores } from '../../../src/storage/database.ts';
import { BY_TEST } from '../../support/cause.ts';
import { readEvents } from '../../support/event-requests.ts';
import type { StreamReader } from '../../support/event-stream.ts';
import { useEach } from '../../support/use-each.ts';
import { startStreamedService } from '../streamed-service.ts';

const service = useEach(() => startStreamedService());

const send = (method: string, path: string, body?: unknown) =>
  service.request(method, `/v1${path}`, { body });

const issue = async (...scopes: Scope[]) => (await service.issueKey(scopes)).secret;

describe('streamEvents', () => {
  test('sends each event as it is in the list, with its id and type', async () => {
    const reader = await service.open();
    await service.request('POST', '/v1/pets', {
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"A\u2028B","categoryId":9007199254740993}',
    });
    await send('PATCH', '/pets/1', { status: 'available' });
    await service.receive(reader, 2);
    const listed = (await readEvents(service)).slice(1);
    expect(reader.json).toEqual(listed);
    expect(reader.events.map(({ id, event }) => [id, event])).toEqual(
      listed.map(({ id, type }) => [id, type]),
    );
    for (const { text } of reader.events) expect(text.split('\n')).toHaveLength(3);
    expect(reader.events[0]?.data).toContain('"categoryId":9007199254740993');
  });

  test('begins with the time to wait before a retry, and the position to resume at', async () => {
    const [first] = await readEvents(service);
    const reader = await service.open();
    expect(reader.others).toEqual(['retry: 2000', `id: ${first?.id}`]);
    const later = await service.open(`?after=${first?.id}`);
    expect(later.others).toEqual(['retry: 2000']);
  });

  test('may be stored by no cache, and collected by no proxy', async () => {
    const { headers } = (await service.open()).response;
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('content-encoding')).toBeNull();
  });

  test('begins now, or after an event, of which the header has precedence', async () => {
    await service.addRex(3);
    const ids = (await readEvents(service)).map(({ id }) => id);
    const now = await service.open();
    const after = await service.open(`?after=${ids[1]}`);
    const since = (id = '') => ({ headers: { 'Last-Event-ID': id } });
    const resumed = await service.open(`?after=${ids[0]}`, since(ids[2]));
    const empty = await service.open(`?after=${ids[2]}`, since());
    await service.addRex();
    const { id } = (await readEvents(service)).at(-1) ?? {};
    for (const [reader, expected] of [
      [now, [id]],
      [after, [ids[2], ids[3], id]],
      [resumed, [ids[3], id]],
      [empty, [ids[3], id]],
    ] as const) {
      await service.receive(reader, expected.length);
      expect(reader.ids).toEqual([...expected]);
    }
  });

  test('has the filters of the list, before and after it has caught up', async () => {
    const change = async () => {
      await service.addRex();
      await send('PATCH', '/pets/1', { name: `Rex ${Math.random()}` });
      await send('DELETE', `/pets/${(await readEvents(service, '&type=pet.created')).length}`);
    };
    await service.addRex();
    await change();
    const after = `after=${(await readEvents(service))[0]?.id}`;
    const opened: [string, StreamReader][] = [];
    const types = 'type=pet.created&type=pet.updated';
    for (const query of ['subject=pets/1', types, `${types}&subject=pets/3`])
      opened.push([query, await service.open(`?${after}&${query}`)]);
    await change();
    for (const [query, reader] of opened) {
      const expected = await readEvents(service, `&${after}&${query}`);
      await service.receive(reader, expected.length);
      expect(reader.json).toEqual(expected);
    }
  });

  test('contains the events of API keys only for a key with keys:admin, before and after', async () => {
    const [first] = await readEvents(service);
    const key = await issue('events:read');
    await service.addRex();
    const staff = await service.open(`?after=${first?.id}`, { key });
    const owner = await service.open(`?after=${first?.id}`);
    await service.receive(staff, 1);
    await service.receive(owner, 2);
    await issue('pets:read');
    await service.addRex();
    await service.receive(staff, 2);
    await service.receive(owner, 4);
    const types = (reader: StreamReader) => reader.events.map(({ event }) => event);
    expect(types(staff)).toEqual(['pet.created', 'pet.created']);
    const both = ['api_key.created', 'pet.created'];
    expect(types(owner)).toEqual([...both, ...both]);
  });

  test('sends what a background job changes, which leaves the caches as they are', async () => {
    const reader = await service.open();
    await service.addRex();
    await service.receive(reader, 1);
    const add = ({ pets }: Stores) => pets.create({ name: 'Mia', categoryId: 2 });
    await service.database.write(BY_TEST, add, { onlyChanges: ['pets', 'events'] });
    await service.receive(reader, 2);
  });

  test('reads many pages without a gap', async () => {
    const pets = Array(350).fill({ name: 'Rex', categoryId: 1 });
    await send('POST', '/pet-batches', { pets });
    const [first, ...later] = (await readEvents(service)).map(({ id }) => id);
    const reader = await service.open(`?after=${first}`);
    await service.receive(reader, 350);
    expect(reader.ids).toEqual(later);
    await send('POST', '/pet-batches', { pets });
    await service.receive(reader, 700);
    await service.poll();
    expect(reader.ids).toEqual((await readEvents(service)).slice(1).map(({ id }) => id));
  });

  test.each(['GET', 'HEAD'])('%s of an event that is no longer known is 410', async (method) => {
    const [first] = await readEvents(service);
    const [generation, position] = (first?.id ?? '').split('-');
    for (const id of [`00000000-${position}`, `${generation}-999`]) {
      for (const response of [
        await service.ask(`?after=${id}`, {}, method),
        await service.ask('', { headers: { 'Last-Event-ID': id } }, method),
      ]) {
        expect(response.status).toBe(410);
        if (method === 'GET') {
          expect(await response.json()).toMatchObject({
            code: 'events_expired',
            message: expect.stringContaining(first?.id ?? ''),
          });
        }
      }
    }
  });

  test('refuses what is no id, and what the list refuses', async () => {
    const refusal = async (query: string, headers: Record<string, string> = {}) => {
      const response = await service.ask(query, { headers });
      return [response.status, ((await response.json()) as { message: string }).message];
    };
    const message = 'must be the id of an event, such as 5f0c9a17-41';
    expect(await refusal('?after=7')).toEqual([400, `after: ${message}`]);
    const refused = await refusal('', { 'Last-Event-ID': '7' });
    expect(refused).toEqual([400, `"Last-Event-ID": ${message}`]);
    expect((await refusal('?type=pet.sold'))[0]).toBe(400);
    expect((await refusal('?limit=5', { Prefer: 'handling=strict' }))[0]).toBe(400);
    expect(service.streams.open).toBe(0);
  });

  test('HEAD opens no stream, and neither does a GET with an unmet condition', async () => {
    expect((await service.ask('', { headers: { 'If-Match': '"x"' } })).status).toBe(412);
    const { headers, status } = await service.ask('', {}, 'HEAD');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('content-length')).toBeNull();
    expect(service.streams.open).toBe(0);
    expect(service.ends()).toEqual([]);
  });
});

describe('many streams', () => {
  const limited = useEach(() => startStreamedService({ options: { eventStreams: 8 } }));

  test('beyond the limit, or a quarter of it for one key, are refused until one ends', async () => {
    const issueKey = async () => (await limited.issueKey(['events:read'])).secret;
    const refusalOf = async (key = limited.key) => {
      const refused = await limited.ask('', { key });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      return ((await refused.json()) as { message: string }).message;
    };
    const first = await limited.open();
    await limited.open();
    expect(await refusalOf()).toContain('a quarter');
    for (let others = 0; others < 3; others += 1) {
      const key = await issueKey();
      await limited.ask('', { key }, 'HEAD');
      for (const _ of [1, 2]) await limited.open('', { key });
    }
    const last = await issueKey();
    expect(await refusalOf(last)).toBe('This service sends no more streams of events.');
    await first.close();
    await limited.open('', { key: last });
    expect(await refusalOf(last)).toBe('This service sends no more streams of events.');
  });
});
