import { findMisspellings, type Misspelling } from './misspelling.ts';
import { parseSetting, SettingError } from './parse-setting.ts';
import type { OptionalSetting, Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';
import { readUrlFile } from './url-file.ts';

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

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
  variables: Variables,
): Config<Names> {
  const entries = names.map((name) => [
    name,
    readSetting(SETTINGS[name], flags[flagKey(name)], variables),
  ]);
  const config = Object.fromEntries(entries);
  requireTwoPorts(config);
  return { ...config, ...databaseOf(config, flags, variables) } as Config<Names>;
}

/** An address that stands for all addresses of the machine. */
const WILDCARD = /^(?:0\.0\.0\.0|::)$/;

/** The API and the metrics cannot listen on one port. @throws SettingError */
function requireTwoPorts({ host, port, metricsHost, metricsPort }: Partial<Config>): void {
  if (host === undefined || metricsHost === undefined) return;
  const isSameAddress =
    host.toLowerCase() === metricsHost.toLowerCase() ||
    WILDCARD.test(host) ||
    WILDCARD.test(metricsHost);
  if (port !== metricsPort || port === 0 || !isSameAddress) return;
  const { port: api, metricsPort: metrics } = SETTINGS;
  throw new SettingError(
    `${api.variable} (${api.flag}) and ${metrics.variable} (${metrics.flag}) must be two ports: both are ${port}.`,
  );
}

/**
 * The URL of the database if a file contains it. Either the URL or the file may be set; as for every setting, a flag
 * takes precedence over a variable.
 */
function databaseOf(
  { databaseUrlFile: path }: { readonly databaseUrlFile?: string },
  flags: Readonly<Record<string, unknown>>,
  variables: Variables,
): Partial<Config> {
  if (path === undefined) return {};
  const { database, databaseUrlFile: file } = SETTINGS;
  const isFlag = flags[flagKey('databaseUrlFile')] !== undefined;
  const isUrlFlag = flags[flagKey('database')] !== undefined;
  if (isFlag && isUrlFlag) {
    throw new SettingError(`${database.flag} and ${file.flag} must not both be set.`);
  }
  if (isUrlFlag) return { databaseUrlFile: undefined };
  if (!isFlag && variables[database.variable]) {
    throw new SettingError(`${database.variable} and ${file.variable} must not both be set.`);
  }
  return { database: readUrlFile(isFlag ? file.flag : file.variable, path) };
}

/** The name of a flag in the options that commander returns: `--base-url` → `baseUrl`. */
const flagKey = (name: SettingName): string =>
  SETTINGS[name].flag
    .slice(2)
    .replaceAll(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());

function readSetting(
  setting: Setting<unknown> | OptionalSetting<unknown>,
  flagValue: unknown,
  variables: Variables,
): unknown {
  const { flag, variable, parse } = setting;
  const isFlag = typeof flagValue === 'string';
  const text = isFlag ? flagValue : variables[variable] || undefined;
  if (text === undefined) return 'default' in setting ? parse(setting.default) : undefined;
  return parseSetting(isFlag ? flag : variable, setting, text);
}

/** Environment variables that are not settings but resemble one that is not set. An empty variable counts as not set. */
export function misspeltVariables(variables: Variables): Misspelling[] {
  const known = Object.values(SETTINGS).map(({ variable }) => variable);
  const names = Object.keys(variables).filter((name) => variables[name]);
  return findMisspellings(names, known);
}
