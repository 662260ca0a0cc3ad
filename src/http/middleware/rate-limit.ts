import type { MonotonicClock } from '../../clock.ts';
import { chain } from '../../maybe-promise.ts';
import { refuse } from '../contract/errors.ts';
import type { RequestContext } from '../request/context.ts';
import { respondRefusal } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/** The requests allowed per window. */
export interface RateLimit {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The limit for tracked clients. Beyond it the oldest window is dropped. */
const MAX_CLIENTS = 100_000;

interface Window {
  readonly endsAtMs: number;
  count: number;
}

interface Remaining {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Counts requests by client in fixed windows. A window starts with the client's first request. */
class Windows {
  readonly #windows = new Map<string, Window>();

  constructor(
    readonly limit: RateLimit,
    readonly clock: MonotonicClock,
  ) {}

  /** Counts a request. Returns how many are left and for how long. */
  count(client: string): Remaining {
    // Whole milliseconds, so that sums and differences are exact.
    const nowMs = Math.floor(this.clock.monotonicMs());
    let window = this.#windows.get(client);
    if (window === undefined || window.endsAtMs <= nowMs) {
      window = { endsAtMs: nowMs + this.limit.windowSeconds * 1000, count: 0 };
      this.#windows.delete(client);
      this.#windows.set(client, window);
      const [oldest] = this.#windows.keys();
      if (this.#windows.size > MAX_CLIENTS && oldest !== undefined) this.#windows.delete(oldest);
    }
    window.count += 1;
    return {
      remaining: this.limit.quota - window.count,
      resetSeconds: Math.ceil((window.endsAtMs - nowMs) / 1000),
    };
  }
}

/** Limits requests by API key. Each response says how many are left (draft-ietf-httpapi-ratelimit-headers). */
export function limitRequests(limit: RateLimit, clock: MonotonicClock): Middleware {
  const windows = new Windows(limit, clock);
  const policy = `"default";q=${limit.quota};w=${limit.windowSeconds}`;
  return (request, ctx, next) => {
    const { remaining, resetSeconds } = windows.count(String(ctx.principal?.keyId));
    const result = remaining < 0 ? refuseTooMany(ctx, resetSeconds) : next(request, ctx);
    return chain(result, (response) => {
      response.headers.set('RateLimit-Policy', policy);
      response.headers.set('RateLimit', `"default";r=${Math.max(remaining, 0)};t=${resetSeconds}`);
      return response;
    });
  };
}

const refuseTooMany = (ctx: RequestContext, resetSeconds: number): Response =>
  respondRefusal(ctx, refuse('rate_limited', undefined, { 'Retry-After': String(resetSeconds) }));
