import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { SettingError } from '../config/config.ts';
import { StorageError } from '../storage/database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { tell } from './output.ts';

/** The exit statuses of every command. */
export const EXIT = {
  /** The command did what was asked. */
  ok: 0,
  /** It could not; the sentence on standard error says why, and nothing is half done. */
  failed: 1,
  /** It was asked in a wrong way: a flag, an argument or a setting. Nothing was begun. */
  usage: 2,
} as const;

/** Says on standard error what stopped a command, and returns its exit status. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const isExpected = error instanceof CommandFailed || error instanceof StorageError;
  if (error instanceof UsageError || error instanceof SettingError) {
    tell(`animal-store: ${error.message}`);
    return EXIT.usage;
  }
  tell(isExpected ? `animal-store: ${error.message}` : inspect(error));
  return EXIT.failed;
}
