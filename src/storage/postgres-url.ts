import { isIP, isIPv6 } from 'node:net';
import { userInfo } from 'node:os';
import { PARAMETERS, type PostgresParameters, UNSUPPORTED } from './postgres-url-parameters.ts';

/** A URL of a PostgreSQL database, decoded. */
export interface PostgresAddress extends PostgresParameters {
  /** A host name, an IP address, or the folder of a Unix socket. A folder begins with a slash. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
}

/** A URL of PostgreSQL is invalid. The message names the invalid part and contains no value of the URL. */
export class InvalidUrl extends Error {
  override readonly name = 'InvalidUrl';
}

/** The form of a URL, for messages. */
export const URL_FORM = 'postgres://user:password@host:5432/name';

const ENCODE =
  'the user, the password or another part contains a character that must be percent-encoded: write %23 for #, %25 for %, %2F for /, %3F for ? and %40 for @';

const DEFAULT_PORT = 5432;

/**
 * Parses a URL as libpq does (postgresql.org/docs/current/libpq-connect.html, 32.1.1.2). Requires a host and a database, and
 * accepts only the parameters that this service follows.
 * @throws InvalidUrl
 */
export function parsePostgresUrl(text: string): PostgresAddress {
  try {
    return parse(text);
  } catch (error) {
    // Behind a raw slash in a password, the rest of the password looks like a database.
    const [, afterAuthority = ''] = /^[^:]*:\/\/[^/?#]*(.*)$/s.exec(text) ?? [];
    if (error instanceof InvalidUrl && afterAuthority.includes('@')) throw new InvalidUrl(ENCODE);
    throw error;
  }
}

function parse(text: string): PostgresAddress {
  if (/[\s\p{Cc}]/u.test(text)) {
    throw new InvalidUrl('it contains a space or a line break: write %20 for a space');
  }
  if (text.includes('#')) throw new InvalidUrl(ENCODE);
  const [, authority = '', path = '', query = ''] =
    /^[^:]*:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(text) ?? [];
  const named = { ...parseAuthority(authority), ...parsePath(path), ...parseQuery(query) };
  if (named.host === undefined) throw new InvalidUrl(`it names no host: use ${URL_FORM}`);
  if (named.database === undefined) {
    throw new InvalidUrl(`it names no database: use ${URL_FORM}`);
  }
  // On a Unix socket the server may identify the user of the operating system.
  const user = named.user ?? (named.host.startsWith('/') ? userInfo().username : undefined);
  if (user === undefined) throw new InvalidUrl(`it names no user: use ${URL_FORM}`);
  if (named.caFile === 'system' && (named.sslMode ?? 'verify-full') !== 'verify-full') {
    throw new InvalidUrl('the parameter sslrootcert=system requires sslmode=verify-full');
  }
  if (named.directTls && !['require', 'verify-ca', 'verify-full'].includes(named.sslMode ?? '')) {
    throw new InvalidUrl(
      'the parameter sslnegotiation=direct requires sslmode=require, verify-ca or verify-full',
    );
  }
  const { host, database, port = DEFAULT_PORT, password } = named;
  return { ...named, host, port, database, user, password };
}

type Parts = Partial<PostgresAddress>;

/** `user:password@host:port`, each part optional. */
function parseAuthority(authority: string): Parts {
  const at = authority.indexOf('@');
  if (authority.includes('@', at + 1)) throw new InvalidUrl(ENCODE);
  const [, user = '', password] =
    /^([^:]*)(?::(.*))?$/.exec(authority.slice(0, Math.max(at, 0))) ?? [];
  const hostAndPort = authority.slice(at + 1);
  if (hostAndPort.includes(',')) {
    throw new InvalidUrl(
      'it names several hosts: name one that leads to the primary, and standbys in DATABASE_STANDBY_URLS',
    );
  }
  if (isIPv6(hostAndPort)) {
    throw new InvalidUrl('an IPv6 address must be in brackets, such as [2001:db8::1]');
  }
  const [, address, name = '', port = ''] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(hostAndPort) ?? [];
  if (address !== undefined && !isIPv6(decode(address))) {
    throw new InvalidUrl('the host in brackets must be an IPv6 address, such as [2001:db8::1]');
  }
  if (address === undefined && name === '' && hostAndPort !== '' && port === '') {
    throw new InvalidUrl('the host must be a name, an IP address or the folder of a Unix socket');
  }
  return {
    ...(user === '' ? {} : { user: decode(user) }),
    ...(password ? { password: decode(password) } : {}),
    ...(address === undefined && name === '' ? {} : { host: parseHost(decode(address ?? name)) }),
    ...(port === '' ? {} : { port: parsePort(port) }),
  };
}

function parsePath(path: string): Parts {
  if (path.includes('/')) {
    throw new InvalidUrl('the name of the database must not contain a slash: write %2F for it');
  }
  return path === '' ? {} : { database: decode(path) };
}

function parseQuery(query: string): Parts {
  const parts: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const pair of query === '' ? [] : query.split('&')) {
    const equals = pair.indexOf('=');
    const name = equals < 1 ? '' : pair.slice(0, equals);
    if (!/^[A-Za-z_]+$/.test(name))
      throw new InvalidUrl('a parameter must have the form name=value');
    if (seen.has(name)) throw new InvalidUrl(`the parameter ${name} occurs twice`);
    seen.add(name);
    Object.assign(parts, parseParameter(name, decode(pair.slice(equals + 1))));
  }
  return parts;
}

function parseParameter(name: string, value: string): Parts {
  if (name === 'host') return { host: parseHost(value) };
  if (name === 'port') return { port: parsePort(value) };
  if (name === 'dbname') return { database: value };
  if (name === 'user' || name === 'password') return { [name]: value };
  const parameter = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
  const parsed = parameter?.parse(value);
  if (parsed !== undefined) return parsed;
  throw new InvalidUrl(
    parameter === undefined
      ? `the parameter ${name} is not supported: ${UNSUPPORTED.get(name) ?? 'remove it'}`
      : `the parameter ${name} must be ${parameter.allowed}`,
  );
}

function parseHost(host: string): string {
  if (host.includes(',')) {
    throw new InvalidUrl(
      'the parameter host names several hosts: name one that leads to the primary',
    );
  }
  if (host.startsWith('/') || isIP(host) !== 0 || /^[\p{L}\p{N}._-]+$/u.test(host)) return host;
  throw new InvalidUrl('the host must be a name, an IP address or the folder of a Unix socket');
}

function parsePort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new InvalidUrl('the port must be a number from 1 to 65535');
}

/** Decodes percent-encoding (RFC 3986, 2.1). */
function decode(text: string): string {
  if (/%(?![0-9a-f]{2})/i.test(text)) throw new InvalidUrl(ENCODE);
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes('\0')) return decoded;
  } catch {
    // The error of the runtime contains the text.
  }
  throw new InvalidUrl('it contains percent-encoded bytes that are not UTF-8 text');
}
