import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than a cluster of databases takes to elect a primary, on a busy machine. */
const LIMIT_MS = 120_000;

/** Resolves with the first result that is not undefined. An attempt that fails is repeated. */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  let last: unknown;
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; await sleep(200)) {
    try {
      const result = await attempt();
      if (result !== undefined) return result;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`Timeout while waiting for ${what}.`, { cause: last });
}
