import type { CacheUse } from '../http/request/cache.ts';
import type { TraceContext } from '../http/request/trace-context.ts';

/**
 * Every event of a running service that is worth observing. Code reports what happened once; an
 * `Observe` decides what becomes of it (a log line, a count). No observation contains an API key
 * or the content of a request.
 */
export type Observation =
  | {
      readonly kind: 'server_started';
      readonly url: string;
      readonly environment: string;
      readonly database: string;
      /** `unknown` if the program was built without git. */
      readonly commit: string;
      readonly schemaVersion: number;
    }
  | {
      readonly kind: 'shutdown_started';
      readonly reason: string;
      /** How long requests are still accepted. */
      readonly delaySeconds: number;
    }
  | { readonly kind: 'shutdown_finished' }
  /** The service received a signal that has no effect. */
  | { readonly kind: 'signal_ignored'; readonly signal: string }
  /** A worker exited: expectedly after a stop or a replacement, else unexpectedly. */
  | {
      readonly kind: 'worker_exited';
      readonly workerPid: number;
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly expected: boolean;
    }
  /** The successor of a worker failed to start. The worker continues, unless it has exited. */
  | {
      readonly kind: 'worker_replacement_failed';
      readonly workerPid: number;
      /** Why the system could not start a process. */
      readonly error?: unknown;
    }
  /** The shutdown timeout passed before all requests were finished. */
  | { readonly kind: 'drain_timeout'; readonly activeRequests: number }
  | {
      readonly kind: 'request';
      readonly requestId: string;
      /** Milliseconds since 1970-01-01T00:00:00Z. */
      readonly respondedAtMs: number;
      readonly method: string;
      /** The path template, so that lines can be grouped. Undefined if neither an operation nor a health check matched. */
      readonly route: string | undefined;
      /** The position of the operation in the list of all operations; -1 if no operation matched. */
      readonly operationIndex: number;
      readonly status: number;
      readonly durationSeconds: number;
      readonly keyId: number | undefined;
      /** What the request changed, such as `pets/7`. */
      readonly resource: string | undefined;
      /** Undefined unless the log contains addresses. */
      readonly clientAddress: string | undefined;
      /** Undefined unless the client sent a valid `traceparent`. */
      readonly trace: TraceContext | undefined;
      readonly credentialCache: CacheUse;
      readonly responseCache: CacheUse;
    }
  /** A stream of events ended, whose request has its own line. */
  | {
      readonly kind: 'event_stream_ended';
      readonly requestId: string;
      readonly keyId: number;
      readonly reason: string;
      readonly openSeconds: number;
      readonly sentEvents: number;
    }
  /** A credential was sent and refused with 401. */
  | {
      readonly kind: 'credential_refused';
      readonly requestId: string;
      readonly reason: string;
      /** The first and last characters. Undefined if the credential does not have the form of an API key. */
      readonly hint: string | undefined;
      /** Undefined if no such key was ever created. */
      readonly keyId: number | undefined;
      readonly clientAddress: string | undefined;
    }
  | (KeyChange & {
      readonly kind: 'api_key_created';
      readonly keyName: string;
      readonly scopes: readonly string[];
      /** RFC 3339 in UTC; undefined: never. */
      readonly expiresAt: string | undefined;
    })
  /** `keyId` got a successor, with these scopes and this expiry. */
  | (KeyChange & {
      readonly kind: 'api_key_rotated';
      readonly successorId: number;
      readonly keyName: string;
      readonly scopes: readonly string[];
      readonly expiresAt: string | undefined;
    })
  | (KeyChange & { readonly kind: 'api_key_revoked' })
  /** `error` caused a 5xx response. */
  | { readonly kind: 'request_failed'; readonly requestId: string; readonly error: unknown }
  /** A new database connection was closed before use, because it goes through a pooler. */
  | { readonly kind: 'connection_rejected'; readonly database: string; readonly reason: string }
  /** No read uses this standby for now. Reported once. */
  | { readonly kind: 'standby_left_out'; readonly database: string; readonly reason: string }
  /** Reads use this standby again. */
  | {
      readonly kind: 'standby_used_again';
      readonly database: string;
      readonly unavailableSeconds: number;
    }
  /** The server refused the user or password of the URL, and the file of the URL had others. */
  | { readonly kind: 'database_credentials_renewed'; readonly database: string }
  /** The same, but the URL in the file cannot be used. */
  | { readonly kind: 'database_credentials_rejected'; readonly reason: string }
  | { readonly kind: 'orders_expired'; readonly count: number }
  /** Orders that ended long ago were deleted (ORDER_RETENTION). */
  | { readonly kind: 'orders_deleted'; readonly count: number }
  /** An event was sent to a webhook endpoint. `reason` is why it failed. */
  | {
      readonly kind: 'webhook_attempted';
      readonly endpointId: string;
      readonly eventId: string;
      /** Delivered, pending (it is attempted again) or failed. */
      readonly deliveryStatus: 'delivered' | 'pending' | 'failed';
      readonly attempts: number;
      readonly reason: string | undefined;
      readonly responseStatus: number | undefined;
      readonly durationSeconds: number;
    }
  /** The service disabled a webhook endpoint. */
  | {
      readonly kind: 'webhook_endpoint_disabled';
      readonly endpointId: string;
      readonly reason: string;
    }
  | { readonly kind: 'background_job_failed'; readonly error: unknown }
  /**
   * Further events of a kind with the same cause, in ten seconds. The first ones were reported themselves.
   * Only the log has it: see limit-lines.ts.
   */
  | {
      readonly kind: 'lines_left_out';
      readonly event: string;
      readonly leftOut: number;
      /** The message of the error; undefined if the event has no error, or the lines have several. */
      readonly cause: string | undefined;
    }
  /** The log could not be written for a time, and has no line of these. Written when it can be written again. */
  | { readonly kind: 'log_lines_dropped'; readonly droppedLines: number }
  /** The database cannot be used. Reported once. */
  | { readonly kind: 'database_unavailable'; readonly reason: string }
  /** The database can be used again. */
  | {
      readonly kind: 'database_available';
      readonly unavailableSeconds: number;
      /** The requests that failed in this time, in this process. */
      readonly failedRequests: number;
    }
  /** The wall clock was set, forward if positive. */
  | { readonly kind: 'clock_jumped'; readonly jumpSeconds: number }
  /** At the start, the database has times that are later than now. */
  | { readonly kind: 'clock_behind'; readonly behindSeconds: number }
  /** Writes fail since the disk is full. Reported once. Reads go on. */
  | { readonly kind: 'writes_unavailable'; readonly reason: string }
  /** Writes work again. */
  | {
      readonly kind: 'writes_available';
      readonly unavailableSeconds: number;
      readonly failedWrites: number;
    }
  /** SQLite: the changes in the -wal could not be moved into the database file. They are kept in the -wal. */
  | { readonly kind: 'checkpoint_failed'; readonly error: unknown }
  /** The database file is damaged: from now on, every request that needs it gets 503. */
  | { readonly kind: 'database_damaged'; readonly error: unknown };

/** The service changed an API key. The command line reports nothing here: it has no log. */
interface KeyChange {
  readonly keyId: number;
  /** What changed it, if it was not a request. */
  readonly reason?: string;
  readonly requestId?: string;
  /** The API key of the request. */
  readonly actorKeyId?: number;
}

/** Interprets observations. Several interpreters are combined by calling each of them. */
export type Observe = (observation: Observation) => void;
