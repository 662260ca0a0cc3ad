import type { AnimalStoreOptions } from '../../sdk/src/index.ts';
import { RequestCore } from '../../sdk/src/request-core.ts';
import { Events } from '../../sdk/src/resources/events.ts';

/** A client whose delays are recorded instead of waited for. */
export function streamClient(baseUrl: string, options: Partial<AnimalStoreOptions> = {}) {
  const delays: number[] = [];
  const sleep = async (delayMs: number, ...signals: readonly (AbortSignal | undefined)[]) => {
    delays.push(delayMs);
    for (const signal of signals) signal?.throwIfAborted();
  };
  const core = new RequestCore(
    { baseUrl, apiKey: 'key', ...options },
    { now: () => 0, random: () => 0.5, sleep },
  );
  return { delays, events: new Events<'auto'>(core) };
}
