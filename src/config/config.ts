import { LOG_LEVELS } from '../observe/logger.ts';
import { findMisspellings, type Misspelling } from './misspelling.ts';
import {
  baseAddress,
  databaseAddress,
  duration,
  oneOf,
  onOff,
  origins,
  postgresAddresses,
  rateLimit,
  type Setting,
  setting,
  wholeNumber,
  workerCount,
} from './setting.ts';

/** A value that a setting cannot take. The message is one sentence for the person who set it. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Every setting of the service. The flags, `--help` and the table in the README come from here. */
export const SETTINGS = {
  host: setting({
    flag: '--host',
    variable: 'HOST',
    description: 'Address to listen on. 0.0.0.0 listens on all.',
    fallback: { value: '127.0.0.1' },
    allowed: 'a host name or an IP address',
    parse: (text) => (/^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined),
  }),
  port: setting({
    flag: '--port',
    variable: 'PORT',
    description: 'Port to listen on. 0 takes a free one.',
    fallback: { value: '8080' },
    ...wholeNumber(0, 65_535),
  }),
  database: setting({
    flag: '--database',
    variable: 'DATABASE_URL',
    description:
      'What keeps the catalogue: an SQLite file, made if it is not there, or the address of a PostgreSQL database.',
    fallback: { value: './data/animal-store.db' },
    ...databaseAddress,
  }),
  replicaUrls: setting({
    flag: '--database-replica-urls',
    variable: 'DATABASE_REPLICA_URLS',
    description: 'PostgreSQL standbys of the database, to read from.',
    fallback: { words: 'none' },
    ...postgresAddresses,
  }),
  databaseConnections: setting({
    flag: '--database-connections',
    variable: 'DATABASE_CONNECTIONS',
    description: 'How many connections to a PostgreSQL server are open at most.',
    fallback: { value: '10' },
    ...wholeNumber(2, 1_000),
  }),
  databaseTimeoutMs: setting({
    flag: '--database-timeout',
    variable: 'DATABASE_TIMEOUT',
    description: 'After how long a read or write without an answer from PostgreSQL gets 503.',
    fallback: { value: '5s' },
    ...duration(240_000, '4m'),
  }),
  databasePrepared: setting({
    flag: '--database-prepared',
    variable: 'DATABASE_PREPARED',
    description:
      'off for a pooler, such as PgBouncer, in front of PostgreSQL: statements are then not prepared.',
    fallback: { value: 'on' },
    ...onOff,
  }),
  environment: setting({
    flag: '--environment',
    variable: 'ENVIRONMENT',
    description:
      'Which environment this is. It decides the kind of API keys and the base address of links.',
    fallback: { value: 'production' },
    ...oneOf('production', 'staging'),
  }),
  firstKeyFile: setting({
    flag: '--first-key-file',
    variable: 'FIRST_KEY_FILE',
    description:
      'File to create for the first API key. Without it, the key is printed to standard error.',
    fallback: { words: 'none' },
    allowed: 'the path of a file',
    parse: (text) => (text === '' || text.endsWith('/') ? undefined : text),
  }),
  baseUrl: setting({
    flag: '--base-url',
    variable: 'BASE_URL',
    description: 'Base address of the production environment, as clients see it.',
    fallback: { words: 'in production the address listened on, else http://127.0.0.1:8080/v1' },
    ...baseAddress,
  }),
  stagingBaseUrl: setting({
    flag: '--staging-base-url',
    variable: 'STAGING_BASE_URL',
    description: 'Base address of the staging environment, as clients see it.',
    fallback: { words: 'in staging the address listened on, else http://127.0.0.1:8081/v1' },
    ...baseAddress,
  }),
  workers: setting({
    flag: '--workers',
    variable: 'WORKERS',
    description: 'How many processes answer on the port; auto is one for each processor.',
    fallback: { value: '1' },
    ...workerCount,
  }),
  requestTimeoutMs: setting({
    flag: '--request-timeout',
    variable: 'REQUEST_TIMEOUT',
    description: 'After how long a request without an answer gets 503.',
    fallback: { value: '30s' },
    ...duration(240_000, '4m'),
  }),
  shutdownTimeoutMs: setting({
    flag: '--shutdown-timeout',
    variable: 'SHUTDOWN_TIMEOUT',
    description: 'How long a stop waits for requests under way.',
    fallback: { value: '10s' },
    ...duration(600_000, '10m'),
  }),
  extensions: setting({
    flag: '--extensions',
    variable: 'EXTENSIONS',
    description: 'off leaves the three specified operations alone, without anything of ours.',
    fallback: { value: 'on' },
    ...onOff,
  }),
  requireIfMatch: setting({
    flag: '--require-if-match',
    variable: 'REQUIRE_IF_MATCH',
    description: 'Whether a change or removal needs an If-Match header.',
    fallback: { value: 'off' },
    ...onOff,
  }),
  requireKnownCategory: setting({
    flag: '--require-known-category',
    variable: 'REQUIRE_KNOWN_CATEGORY',
    description: 'Whether an animal may only belong to a category that has a record.',
    fallback: { value: 'off' },
    ...onOff,
  }),
  orderHoldMinutes: setting({
    flag: '--order-hold-minutes',
    variable: 'ORDER_HOLD_MINUTES',
    description: 'How long a placed order holds its animal.',
    fallback: { value: '30' },
    ...wholeNumber(1, 10_080),
  }),
  corsOrigins: setting({
    flag: '--cors-origins',
    variable: 'CORS_ORIGINS',
    description: 'Origins whose web pages may call the service.',
    fallback: { words: 'none' },
    ...origins,
  }),
  rateLimit: setting({
    flag: '--rate-limit',
    variable: 'RATE_LIMIT',
    description: 'Requests for each API key, and failed credentials for each client address.',
    fallback: { words: 'no limit' },
    ...rateLimit,
  }),
  trustProxy: setting({
    flag: '--trust-proxy',
    variable: 'TRUST_PROXY',
    description: 'on takes the client address from the last entry of X-Forwarded-For.',
    fallback: { value: 'off' },
    ...onOff,
  }),
  logLevel: setting({
    flag: '--log-level',
    variable: 'LOG_LEVEL',
    description: 'The least important kind of log line that is written.',
    fallback: { value: 'info' },
    ...oneOf(...LOG_LEVELS),
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;

/** The type of a setting's value: undefined only where nothing but words stands for its absence. */
type ValueOf<S> = S extends Setting<infer T> ? T : never;
type WordsOnly =
  | 'replicaUrls'
  | 'firstKeyFile'
  | 'baseUrl'
  | 'stagingBaseUrl'
  | 'corsOrigins'
  | 'rateLimit';
export type Config<Names extends SettingName = SettingName> = {
  readonly [Name in Names]:
    | ValueOf<(typeof SETTINGS)[Name]>
    | (Name extends WordsOnly ? undefined : never);
};

/**
 * Reads settings: the flag if there is one, else the environment variable, else the default.
 * An empty variable counts as not set.
 * @throws SettingError with a sentence about the first value that cannot be.
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

/** The name under which the command line's parser hands over a flag: `--base-url` → `baseUrl`. */
const flagKey = (name: SettingName): string =>
  SETTINGS[name].flag
    .slice(2)
    .replaceAll(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());

function readSetting(
  { flag, variable, fallback, allowed, parse }: Setting<unknown>,
  flagValue: unknown,
  variables: Readonly<Record<string, string | undefined>>,
): unknown {
  const given =
    typeof flagValue === 'string'
      ? { source: flag, text: flagValue }
      : { source: variable, text: variables[variable] || undefined };
  if (given.text === undefined) return 'value' in fallback ? parse(fallback.value) : undefined;
  const value = parse(given.text);
  if (value === undefined) throw new SettingError(`${given.source} must be ${allowed}.`);
  return value;
}

/** Variables that are set, are no settings, and look like one that is not set. An empty one counts as not set. */
export function misspeltVariables(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Misspelling[] {
  const known = Object.values(SETTINGS).map(({ variable }) => variable);
  const names = Object.keys(variables).filter((name) => variables[name]);
  return findMisspellings(names, known);
}
