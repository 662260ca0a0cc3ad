import { createWriteStream } from 'node:fs';
import { open as openFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { isPostgresUrl } from '../storage/database-url.ts';
import { fieldsOf } from '../storage/rows.ts';
import { requireTarget } from '../storage/sqlite/maintenance/backup.ts';
import { CATEGORIES, PETS } from '../storage/tables.ts';
import { readCategories } from '../transfer/category-rows.ts';
import { formatOfName } from '../transfer/files/read-rows.ts';
import { EXPORT_FORMATS, type ExportFormat, renderRows } from '../transfer/render-rows.ts';
import { withSettings } from './command.ts';
import { DATABASE_SETTINGS, withExistingDatabase } from './database.ts';
import { CommandFailed, cannotWrite, UsageError } from './failures.ts';
import { interruptible } from './interrupts.ts';
import type { Io } from './io.ts';

interface Flags {
  readonly categories?: true;
  readonly escapeFormulas?: true;
  readonly format?: string;
  readonly output?: string;
}

export function exportCommand(io: Io): Command {
  const command = new Command('export')
    .description('write a snapshot of all animals')
    .option('--categories', 'write category records instead')
    .option(
      '--format <format>',
      `${EXPORT_FORMATS.join(' or ')} (default: by the extension of the file, else ndjson)`,
    )
    .option('--output <file>', 'the file to write (default: -, standard output)')
    .option(
      '--escape-formulas',
      "put a ' before texts that a spreadsheet would run as formulas; an import keeps the '",
    );
  return withSettings(io, command, DATABASE_SETTINGS, async (flags: Flags, config) => {
    const { categories, escapeFormulas, format, output = '-' } = flags;
    const chosen = chooseFormat(format, output);
    if (escapeFormulas && chosen !== 'csv') {
      throw new UsageError('--escape-formulas is allowed only with CSV: add --format csv.');
    }
    if (output !== '-' && !isPostgresUrl(config.database)) requireTarget(config.database, output);
    const options = { escapeFormulas: escapeFormulas === true };
    await withExistingDatabase(io, config, async ({ read, transfer }) => {
      const rows = categories
        ? renderRows([await readCategories(read.categories)], fieldsOf(CATEGORIES), chosen, options)
        : renderRows(transfer.exportPets(), fieldsOf(PETS), chosen, options);
      const text = Readable.from(rows);
      if (output !== '-') await writeToFile(text, output);
      else await writeToPipe('Standard output', pipeline(text, io.streams.output, { end: false }));
    });
  });
}

function chooseFormat(format: string | undefined, output: string): ExportFormat {
  const name = format ?? formatOfName(output) ?? 'ndjson';
  const known = EXPORT_FORMATS.find((candidate) => candidate === name);
  if (known !== undefined) return known;
  const formats = EXPORT_FORMATS.join(', ');
  throw new UsageError(
    format === undefined
      ? `--output has the extension of a format that cannot be exported: choose one of ${formats} with --format.`
      : `--format must be one of ${formats}.`,
  );
}

/** A reader that closes the pipe early, as `head` does, is not an error. */
async function writeToPipe(name: string, writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) {
      throw cannotWrite(name, error);
    }
  }
}

/**
 * Writes to a temporary file, which replaces the target after it is complete and on disk, and has its mode. Writes
 * directly to a target that is not a regular file, such as a device or a pipe.
 */
async function writeToFile(text: Readable, path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) throw new CommandFailed(`${path} is a folder, not a file.`);
  if (stats && !stats.isFile()) {
    return writeToPipe(path, pipeline(text, createWriteStream(path)));
  }
  const target = stats ? await realpath(path) : path;
  const unfinished = `${target}.${process.pid}.unfinished`;
  const mode = stats ? stats.mode & 0o777 : undefined;
  await interruptible(async (signal) => {
    try {
      await pipeline(text, createWriteStream(unfinished, { mode: mode ?? 0o666 }), { signal });
      const file = await openFile(unfinished, 'r+');
      // The umask may have taken some of it.
      if (mode !== undefined) await file.chmod(mode);
      await file.sync();
      await file.close();
      await rename(unfinished, target);
    } catch (error) {
      await rm(unfinished, { force: true });
      if (signal.aborted) throw new CommandFailed('Interrupted. Nothing was exported.');
      throw cannotWrite(path, error);
    }
  });
}
