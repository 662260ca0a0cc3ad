import { InvalidUrl } from '../storage/postgres-url.ts';
import { findMisspellings, type Misspelling } from './misspelling.ts';
import type { OptionalSetting, Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** A setting has an invalid value. The message is one sentence for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

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
  const { flag, variable, parse } = setting;
  const isFlag = typeof flagValue === 'string';
  const text = isFlag ? flagValue : variables[variable] || undefined;
  if (text === undefined) return 'default' in setting ? parse(setting.default) : undefined;
  return parseSetting(isFlag ? flag : variable, setting, text);
}

/** @param source the flag or variable, for the message. @throws SettingError */
export function parseSetting<T>(
  source: string,
  { allowed, parse }: Pick<Setting<T>, 'allowed' | 'parse'>,
  text: string,
): T {
  let value: T | undefined;
  try {
    value = parse(text);
  } catch (error) {
    if (!(error instanceof InvalidUrl)) throw error;
    throw new SettingError(`${source} is not valid: ${error.message}.`);
  }
  if (value === undefined) throw new SettingError(`${source} must be ${allowed}.`);
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
