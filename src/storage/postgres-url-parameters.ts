/** The parameters of a URL that this service follows, apart from those that name a part of the address. */
export interface PostgresParameters {
  /** undefined: verify-full with certificates of authorities, else prefer. */
  readonly sslMode?: SslMode;
  /** Whether TLS begins without a request to the server (PostgreSQL 17). */
  readonly directTls?: boolean;
  /** Path of the certificates of the trusted authorities; `system`: those of the runtime. */
  readonly caFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly applicationName?: string;
  /** Settings of the session, as command-line options of the server: `-c name=value`. */
  readonly sessionOptions?: string;
  readonly connectTimeoutSeconds?: number;
  readonly sessionAttributes?: SessionAttributes;
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

const SESSION_ATTRIBUTES = [
  'any',
  'read-write',
  'primary',
  'read-only',
  'standby',
  'prefer-standby',
] as const;
type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];

interface Parameter {
  /** Describes the allowed values. Follows "must be" in a message. */
  readonly allowed: string;
  /** Returns undefined if the value is not allowed. */
  readonly parse: (value: string) => PostgresParameters | undefined;
}

/** A parameter with a list of values. `hint` says what to do instead of another value. */
function choice<const T extends string>(
  values: readonly T[],
  result: (value: T) => PostgresParameters,
  hint = '',
): Parameter {
  return {
    allowed: `${values.join(' or ')}${hint}`,
    parse: (text) => {
      const value = values.find((known) => known === text);
      return value && result(value);
    },
  };
}

const text = (allowed: string, result: (value: string) => PostgresParameters): Parameter => ({
  allowed,
  parse: (value) => (value === '' ? undefined : result(value)),
});

/** Values that ask for what the service does anyway. */
const withoutEffect = (...values: readonly string[]): Parameter => choice(values, () => ({}));

const file = (name: 'caFile' | 'certificateFile' | 'keyFile'): Parameter =>
  text('the path of a file', (path) => ({ [name]: path }));

/** By name, as libpq names them (postgresql.org/docs/current/libpq-connect.html, 32.1.2). */
export const PARAMETERS: Readonly<Record<string, Parameter>> = {
  sslmode: {
    ...choice(SSL_MODES, (sslMode) => ({ sslMode })),
    allowed: `one of ${SSL_MODES.join(', ')}`,
  },
  // libpq reads it for the sake of JDBC URLs.
  ssl: choice(['true'], () => ({ sslMode: 'require' }), ': sslmode has the other modes'),
  sslrootcert: file('caFile'),
  sslcert: file('certificateFile'),
  sslkey: file('keyFile'),
  sslnegotiation: choice(['postgres', 'direct'], (way) => ({ directTls: way === 'direct' })),
  channel_binding: choice(
    ['disable', 'prefer'],
    () => ({}),
    ': the service cannot bind a channel. sslmode=verify-full protects against the same attack',
  ),
  application_name: text('a name', (applicationName) => ({ applicationName })),
  options: text('options of the server, such as -c%20name=value', (sessionOptions) => ({
    sessionOptions,
  })),
  connect_timeout: {
    allowed: 'a whole number of seconds from 0 to 999; 0 means no timeout',
    parse: (value) =>
      /^[0-9]{1,3}$/.test(value)
        ? value === '0'
          ? {}
          : { connectTimeoutSeconds: Number(value) }
        : undefined,
  },
  target_session_attrs: choice(SESSION_ATTRIBUTES, (sessionAttributes) => ({ sessionAttributes })),
  // There is one host.
  load_balance_hosts: withoutEffect('disable', 'random'),
  client_encoding: withoutEffect('UTF8', 'utf8', 'UTF-8', 'utf-8', 'auto'),
  // The service does not use GSSAPI, nor TLS older than 1.2, nor compression.
  gssencmode: withoutEffect('disable', 'prefer'),
  ssl_min_protocol_version: withoutEffect('TLSv1.2'),
  sslcompression: withoutEffect('0', '1'),
  sslsni: withoutEffect('1'),
  keepalives: withoutEffect('1'),
  // The service always sets application_name.
  fallback_application_name: text('a name', () => ({})),
};

/** What to do instead of a parameter that other programs follow. */
export const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['pgbouncer', 'remove it, and set DATABASE_PREPARED=off'],
  ['prepareThreshold', 'remove it; DATABASE_PREPARED=off switches prepared statements off'],
  ['schema', 'remove it; the tables are in the schema animal_store'],
  ['connection_limit', 'remove it, and set DATABASE_CONNECTIONS'],
  ['pool_timeout', 'remove it, and set DATABASE_TIMEOUT'],
  ['hostaddr', 'name the address as the host'],
  ['sslpassword', 'store the key of the client certificate without a password'],
  ['service', 'write the address into the URL'],
  ['passfile', 'write the password into the file of DATABASE_URL_FILE'],
]);
