/** Streams of events whose clients read slowly or not at all. */
import { test as anywhere, expect } from 'bun:test';
import { EVENT_TYPES } from '../../src/events/event-types.ts';
import { createKey } from '../support/create-key.ts';
import { StreamReader } from '../support/event-stream.ts';
import { scrape } from '../support/metrics.ts';
import { post, type RunningService, startService, until, workplace } from '../support/process.ts';
import { residentMib, slowReaders } from './slow-readers.ts';

const STREAMS = 400;
const LIMIT_MIB = 64;
const BATCH = 1_000;

const test = anywhere.skipIf(process.platform !== 'linux');

const addAnimals = async ({ origin, firstKey = '' }: RunningService) => {
  const pets = Array.from({ length: BATCH }, (_, number) => ({
    name: `${number} `.padEnd(200, 'x'),
    categoryId: 1,
  }));
  expect((await post(origin, firstKey, '/pet-batches', { pets })).status).toBe(201);
};

/** Connects to a stream with small receive buffers. */
function streamsOf({ origin, firstKey = '' }: RunningService) {
  const connect = slowReaders(Number(new URL(origin).port));
  return (query = '', key = firstKey) =>
    connect(
      `GET /v1/events/stream${query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
}

const openStreams = async (service: RunningService) =>
  (await scrape(service)).sum('animal_store_event_streams');

/** Many filters. All of them select additions. */
const filterOf = (number: number): string =>
  EVENT_TYPES.filter((type, bit) => type === 'pet.created' || (number >> (bit % 10)) & 1)
    .map((type) => `type=${type}`)
    .join('&');

test(`${STREAMS} unread streams of different filters and of four keys need less than ${LIMIT_MIB} MiB together`, async () => {
  using place = workplace();
  await using service = await startService(place.database, ['--metrics-port', '0']);
  const keys = [service.firstKey ?? ''];
  while (keys.length < 4) keys.push(await createKey(place.database, ['events:read']));
  // So that what each addition needs is there before.
  await addAnimals(service);
  const before = residentMib(service.pid);
  const connect = streamsOf(service);
  const streams = Array.from({ length: STREAMS - 1 }, (_, number) =>
    connect(`?${filterOf(number)}`, keys[(number + 1) % keys.length]),
  );
  await until(async () => (await openStreams(service)) === STREAMS - 1);
  const headers = { Authorization: `Bearer ${keys[0]}` };
  const stream = await fetch(`${service.origin}/v1/events/stream`, { headers });
  const reader = new StreamReader(stream);
  for (let batch = 1; batch <= 5; batch += 1) {
    await addAnimals(service);
    await until(() => reader.events.length === batch * BATCH);
  }
  expect(residentMib(service.pid) - before).toBeLessThan(LIMIT_MIB);
  expect(await openStreams(service)).toBe(STREAMS);
  await reader.close();
  for (const stream of streams) stream.close();
});

test('a client that reads slowly gets every event once, in order, while others happen', async () => {
  using place = workplace();
  await using service = await startService(place.database);
  const stream = streamsOf(service)();
  const batches = 4;
  let text = '';
  const read = () => {
    const part = stream.read(64 * 1024);
    text += part?.toString('latin1') ?? '';
    return part !== undefined;
  };
  await until(read);
  for (let batch = 0; batch < batches; batch += 1) {
    await addAnimals(service);
    // A part of it.
    for (let reads = 0; reads < 20; reads += 1) await until(read);
  }
  // Without the sizes of the chunks of HTTP.
  const ids = () => [
    ...text.replaceAll(/\r\n[0-9a-f]+\r\n/g, '').matchAll(/"data":\{"id":(\d+),"name":"(\d+) /g),
  ];
  await until(() => {
    while (read());
    return ids().length >= batches * BATCH;
  });
  expect(ids().map(([, id, name]) => [Number(id), Number(name)])).toEqual(
    Array.from({ length: batches * BATCH }, (_, number) => [number + 1, number % BATCH]),
  );
  stream.close();
});
