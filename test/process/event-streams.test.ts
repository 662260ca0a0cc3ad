/** Streams of events of real processes. */
import { expect, test } from 'bun:test';
import { StreamReader } from '../support/event-stream.ts';
import { scrape } from '../support/metrics.ts';
import { bearer, post, postPet, startService, until, workplace } from '../support/process.ts';
import { logged } from './logged.ts';
import { slowReaders } from './slow-readers.ts';

const REX = { name: 'Rex', categoryId: 1 };
const FLAGS = ['--workers', '2', '--metrics-port', '0', '--shutdown-timeout', '10m'];
/** The events of these do not fit into the buffers of a connection. */
const ANIMALS = 3_000;

/** The prefix of request ids identifies the worker. */
const workerOf = ({ response }: StreamReader) =>
  response.headers.get('x-request-id')?.split('-')[0] ?? '';

test('a change through one worker arrives in the streams of all, which end at once when the service stops', async () => {
  using place = workplace();
  await using service = await startService(place.database, FLAGS);
  const { origin, firstKey = '' } = service;
  const open = async () => {
    const headers = { ...bearer(firstKey).headers, Connection: 'close' };
    return new StreamReader(await fetch(`${origin}/v1/events/stream`, { headers }));
  };
  const readers = [await open()];
  while (new Set(readers.map(workerOf)).size < 2) readers.push(await open());
  await until(() => readers.every(({ lastId }) => lastId !== undefined));
  const start = readers[0]?.lastId;
  await postPet(origin, firstKey, REX);
  await until(() => readers.every(({ events }) => events.length === 1));
  expect(new Set(readers.map(({ ids }) => ids[0])).size).toBe(1);

  // A scrape leaves out a worker that takes longer than a second.
  const untilOpen = (streams: number) =>
    until(async () => (await scrape(service)).sum('animal_store_event_streams') === streams);
  await untilOpen(readers.length);
  const { sum } = await scrape(service);
  expect(sum('animal_store_http_requests_in_progress')).toBe(0);
  expect(sum('animal_store_event_feed_lag_seconds')).toBeGreaterThan(0);
  expect(sum('animal_store_oldest_event_age_seconds')).toBeGreaterThan(0);

  const pets = Array.from({ length: 1_000 }, () => ({ name: 'x'.repeat(255), categoryId: 1 }));
  for (let added = 0; added < ANIMALS; added += 1_000)
    expect((await post(origin, firstKey, '/pet-batches', { pets })).status).toBe(201);
  await until(() => readers.every(({ events }) => events.length === 1 + ANIMALS));
  const stuck = slowReaders(Number(new URL(service.origin).port))(
    `GET /v1/events/stream?after=${start} HTTP/1.1\r\nHost: localhost\r\n` +
      `Authorization: Bearer ${service.firstKey}\r\nX-Request-Id: stuck\r\n\r\n`,
  );
  await untilOpen(readers.length + 1);
  service.signal('SIGTERM');
  const { status, stdout } = await service.ended();
  stuck.close();
  expect(status).toBe(0);
  for (const reader of readers) expect(await reader.ended).toBeUndefined();
  expect(logged(stdout, 'drain_timeout')).toEqual([]);
  const ends = logged(stdout, 'event_stream_ended');
  expect(ends.map((line) => line['animal_store.reason'])).toEqual(
    Array.from({ length: readers.length + 1 }, () => 'stopping'),
  );
  const { 'animal_store.stream.event_count': sent } =
    ends.find((line) => line['animal_store.request.id'] === 'stuck') ?? {};
  expect(Number(sent)).toBeLessThan(ANIMALS);
});
