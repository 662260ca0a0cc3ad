import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { SettingError } from '../config/parse-setting.ts';
import { DamagedEvent } from '../events/event-content.ts';
import { systemFailureOf } from '../observe/exception.ts';
import { StartupError } from '../server/startup-error.ts';
import { StorageError } from '../storage/database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import type { Io } from './io.ts';

/** The exit statuses of every command. */
export const EXIT = {
  success: 0,
  /** The message on standard error gives the reason. No change is left half done. */
  failure: 1,
  /** A flag, an argument or a setting is invalid. Nothing was started. */
  usage: 2,
} as const;

const USAGE_ERRORS = [UsageError, SettingError];
const EXPECTED_FAILURES = [CommandFailed, DamagedEvent, StartupError, StorageError];

/** Prints why a command failed to standard error, and returns its exit status. */
export function reportFailure(io: Io, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
  const isUsage = USAGE_ERRORS.some((type) => error instanceof type);
  const isExpected = isUsage || EXPECTED_FAILURES.some((type) => error instanceof type);
  const sentence = isExpected ? (error as Error).message : systemFailureOf(error);
  io.message(sentence ? `animal-store: ${sentence}` : inspect(error).split('\n'));
  return isUsage ? EXIT.usage : EXIT.failure;
}
