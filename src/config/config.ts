import { LOG_LEVELS } from '../observe/logger.ts';
import { findMisspellings, type Misspelling } from './misspelling.ts';
import {
  baseUrl,
  databaseUrl,
  duration,
  type OptionalSetting,
  oneOf,
  onOff,
  optionalSetting,
  origins,
  postgresUrls,
  rateLimit,
  type Setting,
  setting,
  wholeNumber,
  workerCount,
} from './setting.ts';

/** A setting has an invalid value. The message is one sentence for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Every setting of the service: the source of the flags, `--help` and docs/settings.md. */
export const SETTINGS = {
  host: setting({
    flag: '--host',
    variable: 'HOST',
    description: 'Address to listen on. 0.0.0.0 means all addresses.',
    default: '127.0.0.1',
    allowed: 'a host name or an IP address',
    parse: (text) => (/^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined),
  }),
  port: setting({
    flag: '--port',
    variable: 'PORT',
    description: 'Port to listen on. 0 selects a free port.',
    default: '8080',
    ...wholeNumber(0, 65_535),
  }),
  database: setting({
    flag: '--database',
    variable: 'DATABASE_URL',
    description:
      'Database of the catalogue: an SQLite file, or the URL of a PostgreSQL database. A missing file is created by serve, import and keys create.',
    default: './data/animal-store.db',
    ...databaseUrl,
  }),
  replicaUrls: optionalSetting({
    flag: '--database-replica-urls',
    variable: 'DATABASE_REPLICA_URLS',
    description: 'PostgreSQL standbys to read from.',
    whenUnset: 'none',
    ...postgresUrls,
  }),
  databaseConnections: setting({
    flag: '--database-connections',
    variable: 'DATABASE_CONNECTIONS',
    description: 'Maximum number of connections to each PostgreSQL server.',
    default: '10',
    ...wholeNumber(2, 1_000),
  }),
  databaseTimeoutMs: setting({
    flag: '--database-timeout',
    variable: 'DATABASE_TIMEOUT',
    description:
      'Timeout of a read or write in PostgreSQL. In serve, a request that exceeds it gets 503.',
    default: '5s',
    ...duration(240_000, '4m'),
  }),
  databasePrepared: setting({
    flag: '--database-prepared',
    variable: 'DATABASE_PREPARED',
    description:
      'Whether statements are prepared. Set it to off behind a pooler such as PgBouncer.',
    default: 'on',
    ...onOff,
  }),
  environment: setting({
    flag: '--environment',
    variable: 'ENVIRONMENT',
    description:
      'Environment of the service. It determines the prefix of API keys and the base URL of links.',
    default: 'production',
    ...oneOf('production', 'staging'),
  }),
  firstKeyFile: optionalSetting({
    flag: '--first-key-file',
    variable: 'FIRST_KEY_FILE',
    description:
      'File to create for the first API key. Without it, the key is printed to standard error.',
    whenUnset: 'none',
    allowed: 'the path of a file',
    parse: (text) => (text === '' || text.endsWith('/') ? undefined : text),
  }),
  baseUrl: optionalSetting({
    flag: '--base-url',
    variable: 'BASE_URL',
    description: 'Base URL of the production environment, as clients see it.',
    whenUnset: 'in production the address listened on, else none',
    ...baseUrl,
  }),
  stagingBaseUrl: optionalSetting({
    flag: '--staging-base-url',
    variable: 'STAGING_BASE_URL',
    description: 'Base URL of the staging environment, as clients see it.',
    whenUnset: 'in staging the address listened on, else none',
    ...baseUrl,
  }),
  workers: setting({
    flag: '--workers',
    variable: 'WORKERS',
    description: 'Number of processes that serve the port. auto: one per processor.',
    default: '1',
    ...workerCount,
  }),
  requestTimeoutMs: setting({
    flag: '--request-timeout',
    variable: 'REQUEST_TIMEOUT',
    description: 'Timeout of a request. A request that exceeds it gets 503.',
    default: '30s',
    ...duration(240_000, '4m'),
  }),
  shutdownTimeoutMs: setting({
    flag: '--shutdown-timeout',
    variable: 'SHUTDOWN_TIMEOUT',
    description: 'How long a graceful shutdown waits for requests in progress.',
    default: '10s',
    ...duration(600_000, '10m'),
  }),
  extensions: setting({
    flag: '--extensions',
    variable: 'EXTENSIONS',
    description: 'off: only the three specified operations, without our additions.',
    default: 'on',
    ...onOff,
  }),
  console: setting({
    flag: '--console',
    variable: 'CONSOLE',
    description: 'Whether to serve the page for the staff of the store at `/`.',
    default: 'on',
    ...onOff,
  }),
  requireIfMatch: setting({
    flag: '--require-if-match',
    variable: 'REQUIRE_IF_MATCH',
    description: 'Whether updates and deletions require an If-Match header.',
    default: 'off',
    ...onOff,
  }),
  requireKnownCategory: setting({
    flag: '--require-known-category',
    variable: 'REQUIRE_KNOWN_CATEGORY',
    description: 'Whether the category of an animal must have a record.',
    default: 'off',
    ...onOff,
  }),
  orderHoldMinutes: setting({
    flag: '--order-hold-minutes',
    variable: 'ORDER_HOLD_MINUTES',
    description: 'How many minutes a placed order holds its animal.',
    default: '30',
    ...wholeNumber(1, 10_080),
  }),
  corsOrigins: optionalSetting({
    flag: '--cors-origins',
    variable: 'CORS_ORIGINS',
    description: 'Origins whose web pages may call the service.',
    whenUnset: 'none',
    ...origins,
  }),
  rateLimit: optionalSetting({
    flag: '--rate-limit',
    variable: 'RATE_LIMIT',
    description:
      'Maximum number of requests per API key, and of failed credentials per client address.',
    whenUnset: 'no limit',
    ...rateLimit,
  }),
  trustProxy: setting({
    flag: '--trust-proxy',
    variable: 'TRUST_PROXY',
    description: 'Whether the client address is taken from the last entry of X-Forwarded-For.',
    default: 'off',
    ...onOff,
  }),
  logLevel: setting({
    flag: '--log-level',
    variable: 'LOG_LEVEL',
    description: 'Lowest level of the log lines that are written.',
    default: 'info',
    ...oneOf(...LOG_LEVELS),
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S> =
  S extends Setting<infer T> ? T : S extends OptionalSetting<infer T> ? T | undefined : never;

/** The values of settings. */
export type Config<Names extends SettingName = SettingName> = {
  readonly [Name in Names]: ValueOf<(typeof SETTINGS)[Name]>;
};

/**
 * Reads settings: the flag if given, else the environment variable, else the default.
 * An empty variable counts as not set.
 * @throws SettingError with a sentence about the first invalid value.
 */
export function readConfig<const Names extends SettingName>(
  names: readonly Names[],
  flags: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Config<Names> {
  const entries = names.map((name) => [
    name,
    readSetting(SETTINGS[name], flags[flagKey(name)], variables),
  ]);
  return Object.fromEntries(entries) as Config<Names>;
}

/** The name of a flag in the options that commander returns: `--base-url` → `baseUrl`. */
const flagKey = (name: SettingName): string =>
  SETTINGS[name].flag
    .slice(2)
    .replaceAll(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());

function readSetting(
  setting: Setting<unknown> | OptionalSetting<unknown>,
  flagValue: unknown,
  variables: Readonly<Record<string, string | undefined>>,
): unknown {
  const { flag, variable, allowed, parse } = setting;
  const isFlag = typeof flagValue === 'string';
  const text = isFlag ? flagValue : variables[variable] || undefined;
  if (text === undefined) return 'default' in setting ? parse(setting.default) : undefined;
  const value = parse(text);
  if (value === undefined)
    throw new SettingError(`${isFlag ? flag : variable} must be ${allowed}.`);
  return value;
}

/** Environment variables that are not settings but resemble one that is not set. An empty variable counts as not set. */
export function misspeltVariables(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Misspelling[] {
  const known = Object.values(SETTINGS).map(({ variable }) => variable);
  const names = Object.keys(variables).filter((name) => variables[name]);
  return findMisspellings(names, known);
}
