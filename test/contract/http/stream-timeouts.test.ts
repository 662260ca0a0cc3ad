/** No timeout ends a stream of events. Other connections stay open for longer than their clients keep them. */
import { expect, spyOn, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StreamReader } from '../../support/event-stream.ts';
import { bearer } from '../../support/process.ts';
import { listen } from '../../support/socket.ts';
import { startStreamedService } from '../streamed-service.ts';

test('the timeout of requests does not', async () => {
  await using service = await startStreamedService({ options: { requestTimeoutMs: 1_000 } });
  const reader = await service.open();
  await sleep(1_100);
  await service.addPet({ name: 'Rex', categoryId: 1 });
  await service.receive(reader, 1);
  expect(service.ends()).toEqual([]);
});

test('the idle timeout of connections does not, which other requests keep', async () => {
  using serve = spyOn(Bun, 'serve');
  await using service = await listen();
  const server = serve.mock.results[0]?.value as Bun.Server<undefined>;
  const timeout = spyOn(server, 'timeout');
  await fetch(`${service.origin}/v1/events`, bearer(service.key));
  expect(timeout).not.toHaveBeenCalled();
  const url = `${service.origin}/v1/events/stream`;
  using timers = spyOn(globalThis, 'setInterval');
  const reader = new StreamReader(await fetch(url, bearer(service.key)));
  expect(timers.mock.calls.map(([, ms]) => ms)).toContainValues([200, 15_000, 30_000]);
  expect(timeout.mock.calls.map(([request, seconds]) => [request.url, seconds])).toEqual([
    [url, 0],
  ]);
  await reader.close();
});

test.each([
  ['that of nginx, of clients in Go and of Caddy', {}, 120],
  ['the timeout of requests', { requestTimeout: '200s' }, 200],
])('the idle timeout of other connections is longer than %s', async (_what, flags, seconds) => {
  using serve = spyOn(Bun, 'serve');
  await using _service = await listen(flags);
  const options = serve.mock.calls[0]?.[0];
  // The runtime closes a connection up to 4 s early.
  expect(Number(options?.idleTimeout) - 4).toBeGreaterThan(seconds);
});
