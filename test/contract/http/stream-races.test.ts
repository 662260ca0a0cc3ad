/** What happens to a stream when something else happens while its events are read. */
import { afterEach, expect, mock, spyOn, test } from 'bun:test';
import { BY_TEST } from '../../support/cause.ts';
import { readEvents } from '../../support/event-requests.ts';
import type { StreamReader } from '../../support/event-stream.ts';
import { useEach } from '../../support/use-each.ts';
import { startStreamedService } from '../streamed-service.ts';

type Work = () => Promise<unknown>;

const service = useEach(() => startStreamedService());
afterEach(() => mock.restore());

/** Does something once, before and after the next page of events, or the next position of the feed, is read. */
function around(name: 'list' | 'peek', { before, after }: { before?: Work; after?: Work }): void {
  const { events } = service.database.read;
  const read = (events[name] as (...query: unknown[]) => unknown).bind(events);
  spyOn(events, name).mockImplementationOnce((async (...query: unknown[]) => {
    await before?.();
    const found = await read(...query);
    await after?.();
    return found;
  }) as never);
}

const addMia: Work = async () => {
  await service.addPet({ name: 'Mia', categoryId: 2 });
  while (await service.database.sequenceEvents());
};

test('a change that follows the page of a poll is in the next poll', async () => {
  const reader = await service.open();
  await service.addRex();
  around('list', { after: addMia });
  await service.receive(reader, 1);
  await service.receive(reader, 2);
});

test('a change that follows the last page before a stream becomes live is in the next poll', async () => {
  const [first] = await readEvents(service);
  await service.addRex();
  around('list', { after: addMia });
  const reader = await service.open(`?after=${first?.id}`);
  await service.receive(reader, 2);
  expect(reader.events).toHaveLength(2);
});

test('a stream does not become live behind the live streams', async () => {
  const live = await service.open();
  const [first] = await readEvents(service);
  await service.addRex();
  await service.receive(live, 1);
  around('list', {
    async after() {
      await addMia();
      await service.receive(live, 2);
    },
  });
  const reader = await service.open(`?after=${first?.id}`);
  await service.receive(reader, 2);
  await service.addRex();
  await service.receive(reader, 3);
  expect(reader.ids).toEqual((await readEvents(service)).slice(1).map(({ id }) => id));
});

test('events that are deleted while a page is read end the stream', async () => {
  const reader = await service.open();
  await service.addRex(3);
  service.clock.advance(1);
  around('list', {
    before: () =>
      service.database.write(BY_TEST, ({ events }) =>
        events.deleteBefore(service.clock.now(), 100),
      ),
  });
  await service.poll();
  expect(await reader.ended).toBeUndefined();
  expect(service.ends()).toEqual(['events_expired']);
  expect(reader.events).toEqual([]);
});

test('a stream of a new generation goes on when those of the last one end', async () => {
  const old = await service.open();
  await service.addRex();
  // From its first event on, it is live.
  await service.receive(old, 1);
  await service.database.write(BY_TEST, ({ events }) => events.renew());
  const reader = await service.open();
  await service.addRex();
  await service.receive(reader, 1);
  expect(await old.ended).toBeUndefined();
  expect(service.ends()).toEqual(['events_expired']);
  expect(old.events).toHaveLength(1);
});

test('a stream of the last generation that catches up late ends, and those of the new one go on', async () => {
  const { promise: isOpen, resolve } = Promise.withResolvers<StreamReader>();
  const [first] = await readEvents(service);
  await service.addRex();
  const begin = async () => {
    await service.database.write(BY_TEST, ({ events }) => events.renew());
    const live = await service.open();
    await service.addRex();
    await service.receive(live, 1);
    resolve(live);
  };
  around('list', { after: async () => around('peek', { after: begin }) });
  const old = await service.open(`?after=${first?.id}`);
  const live = await isOpen;
  expect(await old.ended).toBeUndefined();
  await service.addRex();
  await service.receive(live, 2);
  expect(service.ends()).toEqual(['events_expired']);
  expect(old.events).toHaveLength(1);
});

test('a stream that catches up ends with its key, without the changes after it', async () => {
  const [first] = await readEvents(service);
  const { secret, key } = await service.issueKey(['events:read']);
  around('list', {
    async before() {
      await service.request('DELETE', `/v1/api-keys/${key.id}`);
      await addMia();
    },
  });
  const reader = await service.open(`?after=${first?.id}`, { key: secret });
  expect(await reader.ended).toBeUndefined();
  expect(service.ends()).toEqual(['key_invalid']);
  expect(reader.events).toEqual([]);
});
