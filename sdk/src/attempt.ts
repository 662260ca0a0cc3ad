import { ConnectionError, type RequestFacts, TimeoutError } from './errors.ts';

/** A response with its whole body. */
export interface Reply {
  readonly response: Response;
  readonly text: string;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends a request once, and reads the body of the response. The timeout covers both.
 * @throws the reason of the signal if it is aborted
 * @throws TimeoutError, ConnectionError
 */
export async function attempt(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
  facts: RequestFacts = {},
): Promise<Reply> {
  signal?.throwIfAborted();
  // Not AbortSignal.any and AbortSignal.timeout: older platforms lack them.
  const controller = new AbortController();
  let isTimeout = false;
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    isTimeout = true;
    controller.abort();
  }, timeoutMs);
  signal?.addEventListener('abort', abort);
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
    return { response, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const details = { ...facts, cause };
    if (isTimeout)
      throw new TimeoutError(`There is no complete response after ${timeoutMs} ms.`, details);
    throw new ConnectionError('The service cannot be reached, or the connection failed.', details);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
