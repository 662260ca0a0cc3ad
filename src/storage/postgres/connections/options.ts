import type { SessionNotOwn } from '../failures.ts';

export interface ConnectionOptions {
  /** A postgres:// address. */
  readonly url: string;
  /**
   * Whether statements are prepared once for a connection. It then has to have a session of the
   * server for itself: where it has not, because of a pooler, nothing is asked on it.
   */
  readonly prepared: boolean;
  /** After how long the server itself ends a statement, or a transaction that does nothing; undefined: never. */
  readonly serverTimeoutMs: number | undefined;
  /** Is called when a connection was closed because it had no session for itself. */
  readonly onNotOwn?: ((reason: SessionNotOwn) => void) | undefined;
}
