/**
 * Everything worth telling about a running service. Code says what happened, once; what becomes
 * of it (a log line, a count) is decided by whoever interprets the observations. None of them
 * may hold an API key or a request's content.
 */
export type Observation =
  | {
      readonly kind: 'started';
      readonly url: string;
      readonly environment: string;
      readonly database: string;
    }
  | { readonly kind: 'stopping'; readonly signal: string }
  | { readonly kind: 'stopped' }
  /** A worker ended that was not told to; another takes its place. */
  | {
      readonly kind: 'worker_ended';
      readonly pid: number;
      readonly status: number | null;
      readonly signal: string | null;
    }
  | { readonly kind: 'drain_timed_out'; readonly pendingRequests: number }
  | {
      readonly kind: 'request';
      readonly requestId: string;
      readonly method: string;
      /** The path's pattern, so that lines can be counted; absent where there is no such operation. */
      readonly route: string | undefined;
      readonly status: number;
      readonly durationMs: number;
      readonly keyId: number | undefined;
    }
  /** A request was answered with a 5xx because of `error`. */
  | { readonly kind: 'request_failed'; readonly requestId: string; readonly error: unknown }
  /** A connection to the database was closed before anything was asked on it: what it leads to cannot be relied on. */
  | { readonly kind: 'session_refused'; readonly database: string; readonly reason: string }
  | { readonly kind: 'orders_expired'; readonly count: number }
  | { readonly kind: 'background_job_failed'; readonly error: unknown }
  /** The database was found to be damaged: from now on every request is answered with 503. */
  | { readonly kind: 'database_damaged'; readonly error: unknown };

export type Observe = (observation: Observation) => void;
