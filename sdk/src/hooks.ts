import type { ResponseDetails } from './call.ts';

/** An attempt to send a request. */
export interface SentRequest {
  readonly method: string;
  /** Relative to the base URL, without the query. */
  readonly path: string;
  readonly url: string;
  /** What is sent. `onRequest` can change it. The API key is not in it, so that it can be logged. */
  readonly headers: Headers;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** The end of an attempt. */
export interface AttemptResult {
  readonly request: SentRequest;
  /** Undefined if there is no complete response. */
  readonly response: ResponseDetails | undefined;
  /** Undefined if the attempt succeeded. */
  readonly error: unknown;
  readonly durationMs: number;
}

/** A request that will be sent again. */
export interface PlannedRetry {
  /** The attempt that failed. */
  readonly request: SentRequest;
  /** Why it failed. */
  readonly error: unknown;
  /** When the next attempt begins. */
  readonly retryAt: Date;
  /** Gives up, now or at any time before `retryAt`: the call rejects with `error`, as after its last retry. */
  stop(): void;
}

/**
 * Functions that are called for each attempt, for logs, traces, and people who wait. The client waits for what they
 * return. What they throw rejects the call.
 */
export interface Hooks {
  /** Called before each attempt. */
  readonly onRequest?: ((request: SentRequest) => unknown) | undefined;
  /** Called after each attempt, whether it succeeded or not. */
  readonly onResponse?: ((result: AttemptResult) => unknown) | undefined;
  /** Called before the delay of each retry. */
  readonly onRetry?: ((retry: PlannedRetry) => unknown) | undefined;
}
