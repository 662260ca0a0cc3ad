import { monotonicMs } from '../../../clock.ts';
import type { Observe } from '../../../observe/observation.ts';
import { withoutPassword } from '../../database-url.ts';
import { type PostgresAddress, parsePostgresUrl } from '../../postgres-url.ts';

export type Credentials = Pick<PostgresAddress, 'user' | 'password'>;

/** The user and password of new connections. */
export interface CredentialSource {
  readonly current: Credentials;
  /** Called after the server refused credentials. Returns whether there are others now. */
  renew(refused: Credentials): boolean;
}

/** Credentials that stay the same. */
export const fixedCredentials = (current: Credentials): CredentialSource => ({
  current,
  renew: () => false,
});

/** The shortest interval between reports of a URL that cannot be used. */
const MIN_INTERVAL_MS = 10_000;

/**
 * Credentials that are read again when the server refuses them, so that a password changes without a restart. The rest
 * of the URL must stay the same: other connections lead to the server of the first URL.
 */
export class RenewableCredentials implements CredentialSource {
  current: Credentials;
  readonly #server: string;
  #nextReportMs = 0;

  /** @param readUrl returns the URL as it is now. May throw an error with a sentence for the operator. */
  constructor(
    url: string,
    readonly readUrl: () => string,
    readonly observe: Observe,
  ) {
    const address = parsePostgresUrl(url);
    this.current = address;
    this.#server = serverOf(address);
  }

  renew(refused: Credentials): boolean {
    // Another connection was refused at the same time.
    if (!isSame(this.current, refused)) return true;
    let url: string;
    try {
      url = this.readUrl();
    } catch (error) {
      this.#reject(error instanceof Error ? error.message : String(error));
      return false;
    }
    const address = parsePostgresUrl(url);
    if (serverOf(address) !== this.#server) {
      this.#reject('More than the user and the password of the URL has changed: restart.');
      return false;
    }
    if (isSame(address, refused)) return false;
    this.current = address;
    this.observe({ kind: 'database_credentials_renewed', database: withoutPassword(url) });
    return true;
  }

  #reject(reason: string): void {
    const nowMs = monotonicMs();
    if (nowMs < this.#nextReportMs) return;
    this.#nextReportMs = nowMs + MIN_INTERVAL_MS;
    this.observe({ kind: 'database_credentials_rejected', reason });
  }
}

const isSame = (a: Credentials, b: Credentials): boolean =>
  a.user === b.user && a.password === b.password;

/** All of an address but the credentials, as text to compare. */
const serverOf = ({ user: _user, password: _password, ...server }: PostgresAddress): string =>
  JSON.stringify(Object.entries(server).sort());
