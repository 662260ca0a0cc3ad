import { ConnectionError, type RequestFacts, TimeoutError } from './errors.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How long to wait. */
export interface Wait {
  /** Undefined: as long as it takes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** What a timeout says, and what another failure says. */
  readonly timeout?: string;
  readonly failure?: string;
}

/**
 * Waits for the network, or for the caller. Aborts the exchange of `controller` if that takes too long, or if the caller's signal
 * is aborted.
 * @param facts undefined: what the work throws is thrown as it is
 * @throws the reason of the signal if it is aborted
 * @throws TimeoutError, ConnectionError
 */
export async function waitFor<T>(
  work: () => Promise<T>,
  {
    timeoutMs,
    signal,
    timeout = 'There is no complete response',
    failure = 'The service cannot be reached, or the connection failed.',
  }: Wait,
  facts?: RequestFacts,
  controller: AbortController = new AbortController(),
): Promise<T> {
  signal?.throwIfAborted();
  let abort = () => {};
  // Ends the wait also if a function of the caller ignores the signal.
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => {
      controller.abort(signal?.reason);
      reject(controller.signal.reason);
    };
  });
  const timer = timeoutMs && setTimeout(abort, timeoutMs);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([work(), aborted]);
  } catch (cause) {
    signal?.throwIfAborted();
    const details = { ...facts, cause };
    if (controller.signal.aborted)
      throw new TimeoutError(`${timeout} after ${timeoutMs} ms.`, details);
    if (!facts) throw cause;
    throw new ConnectionError(failure, details);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
