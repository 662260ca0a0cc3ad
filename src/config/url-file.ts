import { readFileSync } from 'node:fs';
import { failureOf } from '../observe/exception.ts';
import { isPostgresUrl } from '../storage/database-url.ts';
import { URL_FORM } from '../storage/postgres-url.ts';
import { parseSetting, SettingError } from './parse-setting.ts';
import { databaseUrl } from './setting.ts';

/**
 * Reads the URL of a PostgreSQL database from a file with one line.
 * @param source the flag or variable that names the file, for messages.
 * @throws SettingError without any of the content.
 */
export function readUrlFile(source: string, path: string): string {
  const text = readText(source, path).replace(/\r?\n$/, '');
  if (text === '') throw new SettingError(`${source}: the file ${path} is empty.`);
  if (/[\r\n]/.test(text)) {
    throw new SettingError(`${source}: the file ${path} must contain one line.`);
  }
  const subject = `${source}: the URL in the file ${path}`;
  const parsed = parseSetting(subject, { ...databaseUrl, allowed: `such as ${URL_FORM}` }, text);
  if (!isPostgresUrl(parsed)) throw new SettingError(`${subject} must be such as ${URL_FORM}.`);
  return parsed;
}

function readText(source: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingError(
      `${source}: the file ${path} cannot be read (${failureOf(error) ?? error}).`,
    );
  }
}
