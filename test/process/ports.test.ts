/** No two services share a port, whichever port it is. */
import { expect, test } from 'bun:test';
import { takePort } from '../../src/server/shared-port.ts';
import { metricsUrl } from '../support/metrics.ts';
import { freePort } from '../support/postgres-home.ts';
import {
  animalStore,
  inWorkplace,
  ONE_SENTENCE,
  startService,
  workplace,
} from '../support/process.ts';

const WORKERS = ['--workers', '2'];
const ALONE = ['--workers', '1'];

/** How the first service and the second one run. Only workers share a port, and each kind looks for itself whether it is taken. */
const PAIRS = [
  { first: WORKERS, second: ALONE, title: '2, 1' },
  { first: ALONE, second: WORKERS, title: '1, 2' },
];

test.each(PAIRS)(
  'a second service does not start on the port of the API, or on that of the metrics (processes: $title)',
  ({ first, second }) =>
    inWorkplace(async ({ database, file }) => {
      await using running = await startService(database, ['--metrics-port', '0', ...first]);
      const own = ['serve', '--database', file('second.db'), ...second];
      const { port } = new URL(running.origin);
      const api = await animalStore([...own, '--port', port]);
      expect(api.stderr).toMatch(ONE_SENTENCE);
      expect(api.stderr).toContain(`Port ${port} of 127.0.0.1 is already in use`);
      expect(api.stderr).toContain('another port with --port.');
      expect(api.status).toBe(1);

      const metricsPort = new URL(metricsUrl(running)).port;
      for (const taken of [port, metricsPort]) {
        const metrics = await animalStore([...own, '--port', '0', '--metrics-port', taken]);
        expect(metrics.stderr).toMatch(ONE_SENTENCE);
        expect(metrics.stderr).toContain(`Port ${taken} of 127.0.0.1 is already in use`);
        expect(metrics.stderr).toContain('another port with --metrics-port.');
        expect(metrics.status).toBe(1);
      }
    })(),
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
