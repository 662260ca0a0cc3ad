import { RETURNED, toAttempt } from './describe.ts';
import type { SentRequest } from './hooks.ts';
import { type CallOptions, checkCallOptions, checkLimits } from './options.ts';
import type { ApiRequest } from './prepare.ts';
import type { RequestCore } from './request-core.ts';
import { eventParser, type StreamPosition } from './server-sent-events.ts';

/** A connection that is silent for so long is broken: the service sends something every 15 seconds. */
const LIMITS = { timeoutMs: 45_000, maxRetries: Number.MAX_SAFE_INTEGER };

/** A stream that is opened again after its last event whenever it ends. The first `next` opens it. */
export function openStream<T>(
  core: RequestCore,
  request: ApiRequest,
  options: CallOptions = {},
): AsyncIterableIterator<T, undefined> {
  const controller = new AbortController();
  const events = read<T>(core, request, options, controller);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => events.next(),
    return() {
      // Also ends a `next` that waits.
      controller.abort(RETURNED);
      return events.return(undefined);
    },
  };
}

/** Ends with the signal of the caller, too. */
async function* read<T>(
  core: RequestCore,
  request: ApiRequest,
  options: CallOptions,
  controller: AbortController,
): AsyncGenerator<T, undefined, undefined> {
  const abort = () => controller.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', abort);
  if (options.signal?.aborted) abort();
  try {
    yield* follow<T>(core, request, { ...options, signal: controller.signal });
  } catch (failure) {
    if (failure !== RETURNED) throw failure;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
  return undefined;
}

async function* follow<T>(
  core: RequestCore,
  request: ApiRequest,
  options: CallOptions,
): AsyncGenerator<T, void, undefined> {
  checkCallOptions(options, request.method);
  const limits = checkLimits(options, LIMITS);
  const wait = { ...limits, timeout: 'The service has sent nothing' };
  const position: StreamPosition = {};
  let sent: SentRequest | undefined;
  for (let attempts = 1; ; attempts++) {
    try {
      // Each time: the API key may have changed. What fails before the first connection is thrown as it is.
      const prepared = await core.prepare(request, options, wait, sent);
      const { headers } = prepared.init;
      if (position.lastId !== undefined) headers.set('Last-Event-ID', position.lastId);
      sent = toAttempt(prepared, attempts);
      const parse = eventParser(position);
      yield* core.receive<T>(prepared, sent, wait, options, (chunk) => {
        // The stream is open: what follows is another failure.
        attempts = 1;
        return parse(chunk);
      });
    } catch (failure) {
      const isRetried =
        sent &&
        attempts <= limits.maxRetries &&
        (await core.waitForRetry(failure, sent, options, attempts - 1, position.retryMs ?? 0));
      if (!isRetried) throw failure;
    }
  }
}
