import { InvalidUrl } from '../storage/postgres-url.ts';
import type { Setting } from './setting.ts';

/** A setting has an invalid value. The message is one sentence for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
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
