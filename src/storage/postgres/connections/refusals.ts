/** Sentences about connections that fail: each names the part that is wrong. None contains a password. */
import postgres from 'postgres';
import { failureOf } from '../../../observe/exception.ts';
import { StorageError } from '../../database.ts';
import { nameOfServer } from '../../database-url.ts';
import type { PostgresAddress } from '../../postgres-url.ts';
import { ConnectionLost, fromDriver, isLost } from '../failures.ts';
import type { Credentials } from './credentials.ts';

/** The server of an address, for messages. */
export const nameOf = ({ host, port }: PostgresAddress): string =>
  host.startsWith('/') ? socketPath({ host, port }) : nameOfServer(host, port);

/** The path of a Unix socket, as the server names it. */
export const socketPath = ({ host, port }: Pick<PostgresAddress, 'host' | 'port'>): string =>
  `${host}/.s.PGSQL.${port}`;

const untrusted = (server: string) =>
  `the certificate of ${server} is not signed by a trusted authority: set DATABASE_CA_FILE to the certificate of its authority`;

/** By the code of the error. Each completes "The database cannot be reached: …". */
const NETWORK: Readonly<Record<string, (server: string, host: string) => string>> = {
  ENOTFOUND: (_server, host) => `the name ${host} does not resolve`,
  EAI_AGAIN: (_server, host) => `the name ${host} cannot be resolved now`,
  ECONNREFUSED: (server) => `${server} refuses connections`,
  EHOSTUNREACH: (server) => `there is no route to ${server}`,
  ENETUNREACH: (server) => `there is no route to ${server}`,
  ETIMEDOUT: (server) => `${server} did not respond in time`,
  CONNECT_TIMEOUT: (server) => `${server} did not respond within connect_timeout`,
  ENOENT: (server) => `there is no Unix socket ${server}`,
  EACCES: (server) => `this process has no right to use ${server}`,
  CERT_HAS_EXPIRED: (server) => `the certificate of ${server}, or of its authority, has expired`,
  CERT_NOT_YET_VALID: (server) => `the certificate of ${server} is not valid yet`,
  ERR_TLS_CERT_ALTNAME_INVALID: (server, host) =>
    `the certificate of ${server} is not for the name ${host}`,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

/** An error of the network or of TLS. */
export function explainNetworkError(error: unknown, address: PostgresAddress): unknown {
  const code = failureOf(error) ?? '';
  const explain = Object.hasOwn(NETWORK, code) ? NETWORK[code] : undefined;
  return explain === undefined
    ? fromDriver(error)
    : new ConnectionLost(explain(nameOf(address), address.host), { cause: error });
}

/** Whether the server refuses the user or the password (SQLSTATE class 28). */
export const isAuthenticationFailure = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code.startsWith('28');

/** An error of the server. FATAL without a retry means that it refuses connections like this one. */
export function explainRefusal(
  error: unknown,
  { database }: PostgresAddress,
  { user, password }: Credentials,
): unknown {
  if (!(error instanceof postgres.PostgresError) || error.severity !== 'FATAL' || isLost(error)) {
    return error;
  }
  const sentence = sentenceAbout(error, `"${user}"`, `"${database}"`, password !== undefined);
  return new StorageError('refused', sentence, { cause: error });
}

function sentenceAbout(
  { code, message }: postgres.PostgresError,
  user: string,
  database: string,
  hasPassword: boolean,
): string {
  if (code === '3D000') return `The database ${database} does not exist.`;
  if (code === '42501')
    return `The role ${user} has no right to connect to the database ${database}.`;
  if (code === '28P01') {
    return hasPassword
      ? `The server does not accept the password of the role ${user}, or the role does not exist.`
      : `The server requires a password for the role ${user}: add it to the URL.`;
  }
  if (code === '28000' && message.includes('pg_hba.conf')) {
    const rule = `The server has no rule (pg_hba.conf) for the role ${user} and the database ${database} from this host`;
    return message.includes('no encryption')
      ? `${rule} without TLS: use TLS (sslmode=require or stronger), or add a rule.`
      : `${rule}.`;
  }
  if (code === '28000' && message.includes('client certificate')) {
    return 'The server requires a client certificate: set DATABASE_CERT_FILE and DATABASE_KEY_FILE.';
  }
  if (code === '28000' && message.includes('does not exist')) {
    return `The role ${user} does not exist.`;
  }
  return `The server refuses the connection: ${message.replace(/\.$/, '')}.`;
}
