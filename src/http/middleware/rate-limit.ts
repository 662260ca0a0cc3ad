import type { MonotonicClock } from '../../clock.ts';
import { chain } from '../../maybe-promise.ts';
import { refuse } from '../contract/errors.ts';
import { networkOf } from '../request/client-address.ts';
import type { RequestContext } from '../request/context.ts';
import { respondRefusal } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/** So many requests in each window. */
export interface RateLimit {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** How many callers are remembered: more than that in one window, and the oldest window is forgotten. */
const MAX_CALLERS = 100_000;

interface Window {
  readonly endsAtMs: number;
  count: number;
}

interface Remaining {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Counts requests by caller in fixed windows, each beginning with the caller's first request. */
class Windows {
  readonly #windows = new Map<string, Window>();

  constructor(
    readonly limit: RateLimit,
    readonly clock: MonotonicClock,
  ) {}

  /** Counts a request; returns how many are left and for how long. */
  count(caller: string): Remaining {
    let window = this.#current(caller);
    if (window === undefined) {
      window = { endsAtMs: this.#nowMs() + this.limit.windowSeconds * 1000, count: 0 };
      this.#windows.delete(caller);
      this.#windows.set(caller, window);
      this.#forgetOldest();
    }
    window.count += 1;
    return this.#remaining(window);
  }

  /** The same without counting: who only looks begins no window. */
  look(caller: string): Remaining {
    const window = this.#current(caller);
    return window
      ? this.#remaining(window)
      : { remaining: this.limit.quota, resetSeconds: this.limit.windowSeconds };
  }

  #current(caller: string): Window | undefined {
    const window = this.#windows.get(caller);
    return window && window.endsAtMs > this.#nowMs() ? window : undefined;
  }

  #remaining({ endsAtMs, count }: Window): Remaining {
    return {
      remaining: this.limit.quota - count,
      resetSeconds: Math.ceil((endsAtMs - this.#nowMs()) / 1000),
    };
  }

  /** Whole milliseconds, so that sums and differences are exact. */
  #nowMs(): number {
    return Math.floor(this.clock.monotonicMs());
  }

  #forgetOldest(): void {
    if (this.#windows.size <= MAX_CALLERS) return;
    for (const oldest of this.#windows.keys()) {
      this.#windows.delete(oldest);
      return;
    }
  }
}

/** The IP address that a request comes from, in its one spelling. */
export type AddressOf = (request: Request) => string;

/**
 * Limits failed credentials by client address, before any is looked at: guessing ends soon, and
 * who holds a key from another address is not hindered. With IPv6 the whole /64 is one client.
 */
export function limitFailedCredentials(
  limit: RateLimit,
  clock: MonotonicClock,
  addressOf: AddressOf,
): Middleware {
  const windows = new Windows(limit, clock);
  return (request, ctx, next) => {
    const client = networkOf(addressOf(request));
    const { remaining, resetSeconds } = windows.look(client);
    if (remaining <= 0) return tooMany(ctx, resetSeconds);
    return chain(next(request, ctx), (response) => {
      if (response.status === 401) windows.count(client);
      return response;
    });
  };
}

/** Limits requests by API key, and tells in every answer how many are left (draft-ietf-httpapi-ratelimit-headers). */
export function limitRequests(limit: RateLimit, clock: MonotonicClock): Middleware {
  const windows = new Windows(limit, clock);
  const policy = `"default";q=${limit.quota};w=${limit.windowSeconds}`;
  return (request, ctx, next) => {
    const { remaining, resetSeconds } = windows.count(String(ctx.principal?.keyId));
    const answer = remaining < 0 ? tooMany(ctx, resetSeconds) : next(request, ctx);
    return chain(answer, (response) => {
      response.headers.set('RateLimit-Policy', policy);
      response.headers.set('RateLimit', `"default";r=${Math.max(remaining, 0)};t=${resetSeconds}`);
      return response;
    });
  };
}

const tooMany = (ctx: RequestContext, resetSeconds: number): Response =>
  respondRefusal(ctx, refuse('rate_limited', undefined, { 'Retry-After': String(resetSeconds) }));
