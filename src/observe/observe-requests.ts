import { type Clock, monotonicMs } from '../clock.ts';
import type { Middleware } from '../http/middleware/middleware.ts';
import type { AddressOf } from '../http/request/client-address.ts';
import { isHealthCheck } from '../http/request/health-check.ts';
import { parseTraceparent } from '../http/request/trace-context.ts';
import { chain } from '../maybe-promise.ts';
import type { Observe } from './observation.ts';
import type { UsageCounter } from './usage.ts';

/**
 * Reports each request when its response is ready, and counts the call for its API key.
 * @param addressOf undefined if the client's address is not reported.
 */
export function observeRequests(
  observe: Observe,
  usage: UsageCounter,
  clock: Clock,
  addressOf: AddressOf | undefined,
): Middleware {
  return (request, ctx, next) => {
    // Before the response: a connection that is closed in the meantime has no address.
    const clientAddress = addressOf?.(request) || undefined;
    const trace = parseTraceparent(request.headers.get('traceparent'));
    return chain(next(request, ctx), (response) => {
      const keyId = ctx.principal?.keyId;
      const operation = ctx.route?.operation;
      const respondedAtMs = clock.now();
      if (keyId !== undefined && operation) usage.count(keyId, operation.id, respondedAtMs);
      const endedMs = monotonicMs();
      const durationMs = endedMs - ctx.arrivedMs;
      observe({
        kind: 'request',
        requestId: ctx.id,
        respondedAtMs,
        method: ctx.method,
        route: operation ? `/v1${operation.path}` : healthCheckOf(ctx.path),
        operationIndex: ctx.route?.index ?? -1,
        status: response.status,
        durationSeconds: Math.round(durationMs * 1e3) / 1e6,
        keyId,
        resource: ctx.resource,
        clientAddress,
        trace,
        credentialCache: ctx.credentialCache,
        responseCache: ctx.responseCache,
      });
      return response;
    });
  };
}

const healthCheckOf = (path: string): string | undefined =>
  isHealthCheck(path) ? path : undefined;
