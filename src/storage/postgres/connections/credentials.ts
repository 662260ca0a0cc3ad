import type { PostgresAddress } from '../../postgres-url.ts';

export type Credentials = Pick<PostgresAddress, 'user' | 'password'>;

/** The user and password of new connections, where they can change while the service runs. */
export interface CredentialSource {
  readonly current: Credentials;
  /** Called after the server refused credentials. Returns whether there are others now. */
  renew(refused: Credentials): boolean;
}
