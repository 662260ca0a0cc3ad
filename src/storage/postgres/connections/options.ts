import type { SessionRefused } from '../failures.ts';
import type { CredentialSource } from './credentials.ts';
import type { TlsFiles } from './tls.ts';

/** When a server last responded. */
export interface Activity {
  lastResultMs: number;
}

export interface ConnectionOptions {
  /** A postgres:// URL. */
  readonly url: string;
  /** If undefined, the user and password of the URL. */
  readonly credentials?: CredentialSource | undefined;
  readonly tlsFiles?: TlsFiles | undefined;
  /**
   * Whether statements are prepared once for each connection. The connection then needs its own session of
   * the server: behind a pooler it is closed before its first statement.
   */
  readonly prepared: boolean;
  /** Whether requests share the connection, outside of transactions. Default: false. */
  readonly isShared?: boolean;
  /** The server's timeout for a statement and for an idle transaction; undefined: none. */
  readonly serverTimeoutMs: number | undefined;
  /** Receives the time of each result, on the monotonic clock. */
  readonly activity?: Activity | undefined;
  /** Called after a connection was closed because it does not have its own session. */
  readonly onSessionRefused?: ((reason: SessionRefused) => void) | undefined;
}
