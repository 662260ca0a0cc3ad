import { fileURLToPath } from 'node:url';
import type { ServerEntry } from '../server.ts';

const PRELOADED = fileURLToPath(new URL('preloaded-interval.ts', import.meta.url));

/** The service with another interval of a background job. The job and everything else are those of the service. */
export const withInterval = (
  entry: ServerEntry,
  intervalMs: number,
  otherMs: number,
): ServerEntry => ({
  ...entry,
  async prepare(setup) {
    const launch = await entry.prepare(setup);
    const [runtime = '', ...args] = launch.command;
    const variables = { INTERVAL_MS: String(intervalMs), OTHER_INTERVAL_MS: String(otherMs) };
    return { ...launch, command: [runtime, '--preload', PRELOADED, ...args], variables };
  },
});
