import { createReadStream, statSync } from 'node:fs';
import type { Command } from 'commander';
import { parseInt64 } from '../int64.ts';
import { IdTaken } from '../transfer/catalogue-transfer.ts';
import {
  BadRow,
  IMPORT_FIELDS,
  type ImportField,
  type ImportOptions,
  importPets,
} from '../transfer/import-pets.ts';
import {
  FORMATS,
  type Format,
  formatOfName,
  readRows,
  UnreadableFile,
} from '../transfer/read-rows.ts';
import { commandWith } from './command.ts';
import { withDatabase } from './database.ts';
import { CommandFailed, UsageError } from './exit-status.ts';
import { printJson, tell } from './output.ts';
import { startProgress } from './progress.ts';

interface Flags {
  readonly map: readonly string[];
  readonly category?: string;
  readonly keepIds?: true;
  readonly onError: string;
  readonly format?: string;
  readonly json?: true;
}

export function importCommand(): Command {
  const { command, does } = commandWith(
    'import',
    'add the animals of a file: all of them or, if it fails, none',
    ['database'],
  );
  const collect = (value: string, earlier: readonly string[]) => [...earlier, value];
  command
    .argument('<file>', 'a CSV, NDJSON or JSON file; - for standard input')
    .option('--map <column=field>', 'which column holds a field (may be repeated)', collect, [])
    .option('--category <id>', 'the category of animals that the file gives none')
    .option('--keep-ids', "keep the file's ids; only ids that were never assigned can be kept")
    .option('--on-error <stop|skip>', 'what a bad row does: end the import, or be left out', 'stop')
    .option('--format <format>', `${FORMATS.join(', ')} (default: told by name or content)`)
    .option('--json', 'print the result as JSON');
  return does<Flags>(async (flags, { database }, [file = '']) => {
    const options = readOptions(flags);
    const format = readFormat(flags.format) ?? formatOfName(file);
    const { bytes, size } = openSource(file);
    const progress = startProgress(size);
    try {
      const counts = await withDatabase(database, async (opened) =>
        importPets(
          await readRows(progress.counting(bytes), format),
          opened.transfer.beginImport(),
          options,
          (row) => progress.say(`animal-store: left out ${row.message}`),
          progress.rows,
        ),
      );
      progress.end();
      if (flags.json) printJson(counts);
      else
        tell(
          `Imported ${counts.imported} animals${counts.skipped > 0 ? `, left out ${counts.skipped} rows` : ''}.`,
        );
    } catch (error) {
      progress.end();
      throw explain(error);
    }
  });
}

function readOptions({ map, category, keepIds, onError }: Flags): ImportOptions {
  if (onError !== 'stop' && onError !== 'skip')
    throw new UsageError('--on-error must be stop or skip.');
  const categoryId = category === undefined ? undefined : parseInt64(category);
  if (category !== undefined && categoryId === undefined) {
    throw new UsageError('--category must be a 64-bit integer.');
  }
  return { columns: readMap(map), categoryId, keepIds: keepIds === true, onError };
}

function readMap(pairs: readonly string[]): Map<ImportField, string> {
  const columns = new Map<ImportField, string>();
  for (const pair of pairs) {
    const equals = pair.lastIndexOf('=');
    const field = IMPORT_FIELDS.find((known) => known === pair.slice(equals + 1));
    if (equals < 1 || field === undefined) {
      throw new UsageError(
        `--map must be column=field, where field is one of ${IMPORT_FIELDS.join(', ')}.`,
      );
    }
    if (columns.has(field)) throw new UsageError(`--map names two columns for ${field}.`);
    columns.set(field, pair.slice(0, equals));
  }
  return columns;
}

function readFormat(text: string | undefined): Format | undefined {
  const format = FORMATS.find((known) => known === text);
  if (text !== undefined && format === undefined) {
    throw new UsageError(`--format must be one of ${FORMATS.join(', ')}.`);
  }
  return format;
}

function openSource(file: string): { bytes: AsyncIterable<Uint8Array>; size: number | undefined } {
  if (file === '-') return { bytes: process.stdin, size: undefined };
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new CommandFailed(`${file} is a folder, not a file.`);
    return { bytes: createReadStream(file), size: stats.isFile() ? stats.size : undefined };
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(
      `${file} cannot be read: ${error instanceof Error ? error.message : error}.`,
    );
  }
}

/** What went wrong with the file, and that nothing of it was kept. */
function explain(error: unknown): unknown {
  const isAboutFile =
    error instanceof BadRow || error instanceof UnreadableFile || error instanceof IdTaken;
  return isAboutFile
    ? new CommandFailed(`${error.message.replace(/\.$/, '')}. Nothing was imported.`)
    : error;
}
