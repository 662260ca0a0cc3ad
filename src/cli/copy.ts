import { Command } from 'commander';
import { parseSetting } from '../config/parse-setting.ts';
import { SETTINGS } from '../config/settings.ts';
import { readUrlFile } from '../config/url-file.ts';
import type { Database } from '../storage/database.ts';
import { withoutPassword } from '../storage/database-url.ts';
import { isSameFile } from '../storage/same-file.ts';
import {
  type CatalogueSource,
  CopyDiffers,
  type CopyResult,
  copyCatalogue,
  countRows,
  TargetNotEmpty,
} from '../transfer/catalogue-copy.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { CONNECTION_SETTINGS, type ConnectionConfig, openDatabase } from './database.ts';
import { tellDisabledEndpoints } from './disabled-endpoints.ts';
import { CommandFailed, UsageError } from './failures.ts';
import type { Io } from './io.ts';
import { maintenanceOf } from './maintenance.ts';
import { table } from './output.ts';
import { startProgress } from './progress.ts';

interface Flags extends JsonFlag {
  readonly from?: string;
  readonly fromUrlFile?: string;
  readonly to?: string;
  readonly toUrlFile?: string;
}

export function copyCommand(io: Io): Command {
  const command = new Command('copy')
    .description('copy a complete catalogue, with orders and keys, into an empty database')
    .option('--from <database>', 'the database to read: a file, or a postgres:// URL')
    .option('--from-url-file <file>', 'a file with the URL of the database to read')
    .option('--to <database>', 'the database to fill: a file, or a postgres:// URL')
    .option('--to-url-file <file>', 'a file with the URL of the database to fill')
    .option(...JSON_FLAG);
  return withSettings(io, command, CONNECTION_SETTINGS, async (flags: Flags, connection) => {
    const from = databaseOf('--from', flags.from, flags.fromUrlFile);
    const to = databaseOf('--to', flags.to, flags.toUrlFile);
    if (from === to || isSameFile(from, to))
      throw new UsageError('--from and --to must be different databases.');
    const targetName = withoutPassword(to);
    const source = await openSource(io, from, connection);
    try {
      const target = await openDatabase(io, to, connection);
      try {
        const result = await copy(io, source, target, targetName);
        await printResult(io, result, targetName, flags);
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  });
}

/** The database that one of two flags names: a path, or a URL. */
function databaseOf(flag: string, text: string | undefined, urlFile: string | undefined): string {
  if ((text === undefined) === (urlFile === undefined)) {
    throw new UsageError(`Either ${flag} or ${flag}-url-file must be set.`);
  }
  return urlFile === undefined
    ? parseSetting(flag, SETTINGS.database, text ?? '')
    : readUrlFile(`${flag}-url-file`, urlFile);
}

/** Opens a database that nothing else uses, and migrates it. What a service changed later would be missing in the copy. */
async function openSource(
  io: Io,
  database: string,
  connection: ConnectionConfig,
): Promise<CatalogueSource> {
  // Before the migration, which changes the database.
  await maintenanceOf({ ...connection, database, databaseUrlFile: undefined }).requireUnused();
  const { transfer, close } = await openDatabase(io, database, connection, { mayCreate: false });
  await close();
  return transfer.openSource();
}

async function copy(
  io: Io,
  from: CatalogueSource,
  target: Database,
  targetName: string,
): Promise<CopyResult> {
  const to = await target.transfer.openWriter();
  try {
    // Every row counts twice: when it is copied, and when it is compared.
    const progress = startProgress(io, 2 * (await countRows(from)));
    try {
      return await copyCatalogue(from, to, (rows) => progress.showRows(rows, rows));
    } catch (error) {
      throw explain(error, targetName);
    } finally {
      progress.end();
    }
  } finally {
    await to.close();
  }
}

function explain(error: unknown, targetName: string): unknown {
  if (error instanceof TargetNotEmpty)
    return new CommandFailed(
      `${targetName} already contains another catalogue. Nothing was copied.`,
    );
  if (error instanceof CopyDiffers)
    return new CommandFailed(
      `The rows read back from ${targetName} differ from the rows written. Nothing was copied.`,
    );
  return error;
}

function printResult(
  io: Io,
  { isNew, digest }: CopyResult,
  targetName: string,
  { json }: JsonFlag,
): Promise<unknown> {
  if (json) return io.json({ isNew, parts: Object.fromEntries(digest) });
  io.message(
    isNew
      ? `Copied to ${targetName}, read back and compared.`
      : `${targetName} already contains the same catalogue. Nothing was changed.`,
  );
  if (isNew) tellDisabledEndpoints(io, digest.get('webhook_endpoints')?.rows ?? 0);
  const rows = [...digest].map(([part, { rows, sha256 }]) => [part, String(rows), sha256]);
  return io.result(table(['PART', 'ROWS', 'SHA-256'], rows));
}
