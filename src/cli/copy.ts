import type { Command } from 'commander';
import { SETTINGS } from '../config/config.ts';
import type { Database } from '../storage/database.ts';
import {
  CopyDiffers,
  type CopyResult,
  copyCatalogue,
  countRows,
  TargetNotEmpty,
} from '../transfer/catalogue-copy.ts';
import { commandWith } from './command.ts';
import { CONNECTION_SETTINGS, nameOf, openDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { printJson, printResult, table, tell } from './output.ts';
import { startProgress } from './progress.ts';

interface Flags {
  readonly from: string;
  readonly to: string;
  readonly json?: true;
}

export function copyCommand(): Command {
  const { command, does } = commandWith(
    'copy',
    'copy a whole catalogue into an empty one, with ids, orders and keys: all of it or nothing',
    CONNECTION_SETTINGS,
  );
  command
    .requiredOption('--from <address>', 'the database to read: a file, or a postgres:// address')
    .requiredOption('--to <address>', 'the database to fill: a file, or a postgres:// address')
    .option('--json', 'print the result as JSON');
  return does<Flags>(async (flags, connection) => {
    const from = readAddress('--from', flags.from);
    const to = readAddress('--to', flags.to);
    if (from === to) throw new UsageError('--from and --to must be two databases.');
    const source = await openDatabase(from, connection, { mayCreate: false });
    try {
      const target = await openDatabase(to, connection);
      try {
        const result = await copy(source, target, nameOf(to));
        if (flags.json)
          printJson({ isNew: result.isNew, parts: Object.fromEntries(result.digest) });
        else show(result, nameOf(to));
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  });
}

async function copy(source: Database, target: Database, place: string): Promise<CopyResult> {
  const from = await source.transfer.openSnapshot();
  try {
    const to = await target.transfer.openReplica();
    try {
      // Every row is copied, and then compared.
      const progress = startProgress(2 * (await countRows(from)));
      try {
        return await copyCatalogue(from, to, (rows) => progress.rows(rows, rows));
      } catch (error) {
        throw whyNot(error, place);
      } finally {
        progress.end();
      }
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

function whyNot(error: unknown, place: string): unknown {
  if (error instanceof TargetNotEmpty)
    return new CommandFailed(`${place} holds another catalogue already. Nothing was copied.`);
  if (error instanceof CopyDiffers)
    return new CommandFailed(`${place} does not keep what is written to it. Nothing was copied.`);
  return error;
}

function readAddress(flag: string, text: string): string {
  const address = SETTINGS.database.parse(text);
  if (address === undefined) throw new UsageError(`${flag} must be ${SETTINGS.database.allowed}.`);
  return address;
}

function show({ isNew, digest }: CopyResult, place: string): void {
  tell(
    isNew
      ? `Copied to ${place}, read back and compared.`
      : `${place} holds the very same already. Nothing was changed.`,
  );
  const rows = [...digest].map(([part, { rows, sha256 }]) => [part, String(rows), sha256]);
  printResult(table(['PART', 'ROWS', 'SHA-256'], rows));
}
