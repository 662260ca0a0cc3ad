/** listEvents: GET /events. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { type ReceivedEvent, readEvents } from '../../support/event-requests.ts';
import { useService } from '../../support/service.ts';

const service = useService();
beforeAll(async () => {
  const send = (method: string, path: string, body?: unknown) =>
    service.request(method, `/v1${path}`, { body });
  await send('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await send('PATCH', '/pets/1', { status: 'available' });
  await send('PUT', '/categories/1', { name: 'Dogs' });
  await send('POST', '/store/orders', { petId: 1, status: 'delivered', note: 'For Ann.' });
  await send('POST', '/pet-batches', {
    pets: [
      { name: 'Mia', categoryId: 2 },
      { name: 'Tom', categoryId: 2 },
    ],
  });
  await send('DELETE', '/pets/1');
});

const get = (query: string, key?: string) =>
  service.request('GET', `/v1/events${query}`, key === undefined ? {} : { key });
const list = async (query: string, key?: string) => (await get(query, key)).json as ReceivedEvent[];
const typesOf = (events: readonly ReceivedEvent[]) =>
  events.map(({ type, subject }) => `${type} ${subject}`);

const ALL = [
  'api_key.created api-keys/1',
  'pet.created pets/1',
  'pet.updated pets/1',
  'category.created categories/1',
  'pet.updated pets/1',
  'order.delivered orders/1',
  'pet.created pets/2',
  'pet.created pets/3',
  'pet.deleted pets/1',
];

describe('listEvents', () => {
  test('returns all changes in their order', async () => {
    expect(typesOf(await list(''))).toEqual(ALL);
  });

  test('returns what, who, when, and the values before', async () => {
    const [, created, updated] = await list('');
    const timestamp = '2027-01-01T00:00:00.000Z';
    const actor = { keyId: 1, keyName: 'test' };
    expect([created, updated]).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-2$/),
        type: 'pet.created',
        subject: 'pets/1',
        timestamp,
        actor,
        data: { id: 1, name: 'Rex', categoryId: 1 },
      },
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-3$/),
        type: 'pet.updated',
        subject: 'pets/1',
        timestamp,
        actor,
        data: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
        previous: { status: null },
      },
    ]);
  });

  test.each([
    ['?type=pet.created', [1, 6, 7]],
    ['?type=pet.created&type=pet.deleted', [1, 6, 7, 8]],
    ['?type=pet.created&type=pet.created', [1, 6, 7]],
    ['?subject=orders/1', [5]],
    ['?subject=pets/1', [1, 2, 4, 8]],
    ['?subject=pets/1&type=pet.updated&type=order.delivered', [2, 4]],
    ['?subject=pets/4711', []],
    ['?subject=pets', []],
    ['?type=pets.imported', []],
  ])('with %s returns only these', async (query, places) => {
    const expected = places.map((place) => ALL[place] as string);
    expect(typesOf(await list(query))).toEqual(expected);
    const descending = await list(`${query}&sort=-id`);
    expect(typesOf(descending)).toEqual(expected.toReversed());
  });

  test('with after returns what is new since, in both orders', async () => {
    const all = await list('');
    for (const [place, { id }] of all.entries()) {
      const later = all.slice(place + 1);
      expect(await list(`?after=${id}`)).toEqual(later);
      expect(await list(`?after=${id}&sort=-id`)).toEqual(later.toReversed());
      const ofAnimal = later.filter(({ subject }) => subject === 'pets/1');
      expect(await list(`?after=${id}&subject=pets/1`)).toEqual(ofAnimal);
    }
  });

  test.each(['', '&sort=-id', '&type=pet.created', '&type=pet.created&type=pet.updated&sort=-id'])(
    'read page by page with%s are the same',
    async (query) => {
      const all = await list(`?limit=100${query}`);
      for (const limit of [1, 2, 3, all.length])
        expect(await readEvents(service, query, limit)).toEqual(all);
    },
  );

  test('with after begins or ends at it, page by page', async () => {
    const all = await list('');
    const [after, later] = [`&after=${all[2]?.id}`, all.slice(3)];
    expect(await readEvents(service, after, 2)).toEqual(later);
    expect(await readEvents(service, `${after}&sort=-id`, 2)).toEqual(later.toReversed());
    const { headers } = await get(`?limit=6&after=${all[2]?.id}&sort=-id`);
    expect(headers.get('link')).toBeNull();
  });

  test.each([
    'subject=pets/x',
    'subject=dogs/1',
    'subject=pets/01',
    'subject=orders/-1',
    'after=0000000g-5',
    'after=00000000-0',
    'after=00000000-9999999999999999999',
  ])('returns 400 for %s', async (query) => {
    expect((await get(`?${query}`)).json).toMatchObject({ code: 'invalid_parameter' });
  });

  test('returns 410 for a position of another generation, or beyond the newest', async () => {
    const id = (await list('?limit=1'))[0]?.id ?? '';
    const generation = id.split('-')[0];
    const other = generation === '00000000' ? '00000001' : '00000000';
    for (const after of [`${other}-1`, `${generation}-${ALL.length + 1}`])
      for (const sort of ['id', '-id']) {
        const { status, json } = await get(`?after=${after}&sort=${sort}`);
        expect([status, json]).toMatchObject([
          410,
          {
            code: 'events_expired',
            message: `The events after this one are not known. The oldest one is ${generation}-1.`,
          },
        ]);
      }
  });

  test('shows the events of API keys only to a key with keys:admin', async () => {
    const { secret } = await service.issueKey(['events:read']);
    const all = await list('?limit=100');
    const shown = all.filter(({ subject }) => !subject.startsWith('api-keys/'));
    expect(shown.length).toBeLessThan(all.length);
    expect(await list('?limit=100', secret)).toEqual(shown);
    expect(await list('?limit=100&sort=-id', secret)).toEqual(shown.toReversed());
    expect(await list('?subject=api-keys/1', secret)).toEqual([]);
    expect(await list('?type=api_key.created&type=pet.deleted', secret)).toHaveLength(1);
  });

  test('has no event of a change that changes nothing, nor of a refused one', async () => {
    const count = (await readEvents(service)).length;
    const send = async (method: string, path: string, body?: unknown) =>
      (await service.request(method, `/v1${path}`, { body })).status;
    expect(await send('PATCH', '/pets/2', { name: 'Mia' })).toBe(200);
    expect(await send('PATCH', '/pets/2', {})).toBe(200);
    expect(await send('PUT', '/categories/1', { name: 'Dogs' })).toBe(200);
    expect(await send('PATCH', '/store/orders/1', { status: 'delivered', note: 'For Ann.' })).toBe(
      200,
    );
    expect(await send('POST', '/store/orders', { petId: 2 })).toBe(409);
    expect(await send('DELETE', '/pets/4711')).toBe(404);
    expect(await readEvents(service)).toHaveLength(count);
  });
});
