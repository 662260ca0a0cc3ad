import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseDuration } from './duration.ts';
import type { BaseUrls } from './http/openapi.ts';
import { LOG_LEVELS } from './observe/logger.ts';

/** A value that a setting cannot take. The message is one sentence for the person who set it. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

interface Setting<T> {
  readonly flag: string;
  readonly variable: string;
  readonly description: string;
  /** What holds when it is not set: a value in the form one would write, or words about where it comes from. */
  readonly fallback: { readonly value: string } | { readonly words: string };
  /** What a value has to be, to follow "must be". */
  readonly allowed: string;
  /** The value that the text stands for, or undefined when it stands for none. */
  readonly parse: (text: string) => T | undefined;
}

const setting = <T>(declared: Setting<T>): Setting<T> => declared;

const oneOf = <const T extends string>(...values: readonly T[]) => ({
  allowed: `one of ${values.join(', ')}`,
  parse: (text: string): T | undefined => values.find((value) => value === text),
});

const duration = (maximumMs: number, maximum: string) => ({
  allowed: `a duration from 1ms to ${maximum}, such as 500ms, 30s or 5m`,
  parse: (text: string): number | undefined => {
    const ms = parseDuration(text);
    return ms !== undefined && ms >= 1 && ms <= maximumMs ? ms : undefined;
  },
});

const baseAddress = {
  allowed: 'an absolute http or https URL that ends in /v1, without query or fragment',
  parse(text: string): string | undefined {
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
    const isPlain = url.search === '' && url.hash === '' && url.username === '';
    return isHttp && isPlain && url.pathname.endsWith('/v1') ? url.href : undefined;
  },
};

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
    allowed: 'a whole number from 0 to 65535',
    parse: (text) =>
      /^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined,
  }),
  database: setting({
    flag: '--database',
    variable: 'DATABASE_URL',
    description: 'The SQLite file that keeps the catalogue. Made if it is not there.',
    fallback: { value: './data/animal-store.db' },
    allowed: 'a path or a file: URL of a file on a local disk',
    parse: parseDatabase,
  }),
  environment: setting({
    flag: '--environment',
    variable: 'ENVIRONMENT',
    description:
      'Which environment this is. It decides the kind of API keys and the base address of links.',
    fallback: { value: 'production' },
    ...oneOf('production', 'staging'),
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
  requestTimeoutMs: setting({
    flag: '--request-timeout',
    variable: 'REQUEST_TIMEOUT',
    description: 'After how long a request without an answer gets 503.',
    fallback: { value: '30s' },
    ...duration(600_000, '10m'),
  }),
  shutdownTimeoutMs: setting({
    flag: '--shutdown-timeout',
    variable: 'SHUTDOWN_TIMEOUT',
    description: 'How long a stop waits for requests under way.',
    fallback: { value: '10s' },
    ...duration(600_000, '10m'),
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
type WordsOnly = 'baseUrl' | 'stagingBaseUrl';
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

function parseDatabase(text: string): string | undefined {
  if (text.startsWith('file:')) {
    const base = pathToFileURL(`${process.cwd()}/`);
    if (!URL.canParse(text, base.href)) return undefined;
    const url = new URL(text.replace(/^file:(?!\/)/, ''), base);
    const path = url.search === '' && url.host === '' ? fileURLToPath(url) : undefined;
    return path?.includes('\0') ? undefined : path;
  }
  const isOtherUrl = /^[a-z][a-z0-9+.-]+:/i.test(text);
  return text === '' || isOtherUrl || text.startsWith(':') || text.includes('\0')
    ? undefined
    : text;
}

/** An address that can be connected to, for one that may stand for all addresses. */
export function originOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** The base addresses of both environments. */
export function baseUrlsOf(
  config: Pick<Config, 'environment' | 'baseUrl' | 'stagingBaseUrl'>,
  ownOrigin: string,
): BaseUrls {
  const { environment, baseUrl, stagingBaseUrl } = config;
  const fallback = { production: 'http://127.0.0.1:8080/v1', staging: 'http://127.0.0.1:8081/v1' };
  fallback[environment] = `${ownOrigin}/v1`;
  return {
    production: baseUrl ?? fallback.production,
    staging: stagingBaseUrl ?? fallback.staging,
  };
}
