/** No two services share a port, whichever port it is. */
import { expect, test } from 'bun:test';
import { takePort } from '../../src/server/shared-port.ts';
import { metricsUrl } from '../support/metrics.ts';
import { freePort } from '../support/postgres-home.ts';
import { animalStore, ONE_SENTENCE, startService, workplace } from '../support/process.ts';

const WORKERS = ['--workers', '2'];
const ALONE = ['--workers', '1'];

/** How the first service and the second one run. Only workers share a port, and each kind looks for itself whether it is taken. */
const PAIRS = [
  { first: WORKERS, second: ALONE, title: '2, 1' },
  { first: ALONE, second: WORKERS, title: '1, 2' },
];

/** Expects that a service does not start because of this port, and that the flag is named. */
async function expectTaken(port: string, flag: string, args: readonly string[]) {
  const { status, stderr } = await animalStore(args);
  expect([status, stderr]).toEqual([1, expect.stringMatching(ONE_SENTENCE)]);
  expect(stderr).toContain(`Port ${port} of 127.0.0.1 is already in use`);
  expect(stderr).toContain(`another port with ${flag}.`);
}

test.each(PAIRS)(
  'a second service does not start on the port of the API, or on that of the metrics (processes: $title)',
  async ({ first, second }) => {
    using place = workplace();
    const flags = ['--metrics-port', '0', ...first];
    await using running = await startService(place.database, flags);
    const own = ['serve', '--database', place.file('second.db'), ...second];
    const { port } = new URL(running.origin);
    await expectTaken(port, '--port', [...own, '--port', port]);
    for (const taken of [port, new URL(metricsUrl(running)).port])
      await expectTaken(taken, '--metrics-port', [...own, '--port', '0', '--metrics-port', taken]);
  },
);

test('workers do not share the port of a program that would share it', async () => {
  const hostname = '127.0.0.1';
  using other = Bun.serve({ hostname, port: 0, reusePort: true, fetch: () => new Response() });
  const taken = takePort(hostname, other.port ?? 0);
  await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('of three services with workers that start at the same time on one port, one serves, however they spell the address', async () => {
  using place = workplace();
  const { file } = place;
  const flags = [...WORKERS, '--port', String(await freePort()), '--host'];
  const starts = await Promise.allSettled(
    ['127.0.0.1', 'localhost', '0.0.0.0'].map((host) => startService(file(host), [...flags, host])),
  );
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
  for (const service of started) service.signal('SIGTERM');
  await Promise.all(started.map((service) => service.ended()));
  expect(started).toHaveLength(1);
  for (const start of starts) {
    if (start.status === 'rejected') expect(start.reason.message).toContain('is already in use');
  }
});
