/** The server of the metrics, on a real socket. */
import { expect, test } from 'bun:test';
import type { Observation } from '../../src/observe/observation.ts';
import { serveMetrics } from '../../src/server/metrics-server.ts';

test('a scrape that fails gets 500 without the cause, which is reported', async () => {
  const observed: Observation[] = [];
  const error = new Error('A worker sent no metrics.');
  const server = await serveMetrics(
    { metricsHost: '127.0.0.1', metricsPort: 0 },
    () => Promise.reject(error),
    (observation) => observed.push(observation),
  );
  try {
    const response = await fetch(server?.url ?? '');
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('The metrics cannot be read.\n');
    expect(observed).toEqual([{ kind: 'request_failed', requestId: '', error }]);
  } finally {
    await server?.stop();
  }
});
