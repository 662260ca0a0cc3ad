import { createReadStream, statSync } from 'node:fs';
import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { commandCause } from '../events/command-cause.ts';
import { parseInt64 } from '../int64.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { type Database, StorageError } from '../storage/database.ts';
import { importFieldsOf } from '../storage/rows.ts';
import { type AnyTable, CATEGORIES, PETS } from '../storage/tables.ts';
import { IdTaken } from '../transfer/catalogue-transfer.ts';
import { categoryRows } from '../transfer/category-rows.ts';
import {
  BadRow,
  type ImportCounts,
  type ImportTarget,
  importRows,
} from '../transfer/import-rows.ts';
import { petRows } from '../transfer/pet-rows.ts';
import {
  FORMATS,
  type Format,
  formatOfName,
  readRows,
  UnreadableFile,
} from '../transfer/read-rows.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { DATABASE_SETTINGS, withDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { printJson, printMessage } from './output.ts';
import { startProgress } from './progress.ts';

const COMMAND = 'import';

interface Flags extends JsonFlag {
  readonly categories?: true;
  readonly map: readonly string[];
  readonly category?: string;
  readonly keepIds?: true;
  readonly onError: string;
  readonly format?: string;
}

export function importCommand(): Command {
  const collect = (value: string, earlier: readonly string[]) => [...earlier, value];
  const command = new Command(COMMAND)
    .description('add the animals in a file; a failed import adds none')
    .argument('<file>', 'a CSV, NDJSON or JSON file; - for standard input')
    .option('--categories', 'import category records instead')
    .option('--map <column=field>', 'file column to use for a field (repeatable)', collect, [])
    .option('--category <id>', 'the category of animals without one in the file')
    .option('--keep-ids', "keep the file's ids; only ids that were never assigned can be kept")
    .option('--on-error <stop|skip>', 'stop the import on a bad row, or skip the row', 'stop')
    .option('--format <format>', `${FORMATS.join(', ')} (default: by extension or content)`)
    .option(...JSON_FLAG);
  return withSettings(command, DATABASE_SETTINGS, async (flags: Flags, config, [file = '']) => {
    const { table, nouns, open } = chooseTarget(flags);
    const fields = importFieldsOf(table);
    const columns = parseMap(flags.map, Object.keys(fields));
    const onError = parseOnError(flags.onError);
    const format = parseFormat(flags.format) ?? formatOfName(file);
    const { bytes, size } = openSource(file);
    const progress = startProgress(size);
    try {
      const counts = await withDatabase(config, async (opened) => {
        const rows = await readRows(progress.countBytes(bytes), format);
        const report = (row: BadRow) => progress.print(`animal-store: skipped ${row.message}`);
        const target = await open(opened);
        return importRows(rows, target, { fields, columns, onError }, report, progress.showRows);
      });
      progress.end();
      if (flags.json) printJson(counts);
      else printMessage(describeCounts(counts, nouns));
    } catch (error) {
      progress.end();
      throw explain(error);
    }
  });
}

/** Singular and plural. */
type Nouns = readonly [string, string];

const describeCounts = ({ imported, skipped }: ImportCounts, what: Nouns): string =>
  `Imported ${counted(imported, what)}${skipped > 0 ? `, skipped ${counted(skipped, ['row', 'rows'])}` : ''}.`;

const counted = (count: number, [one, many]: Nouns): string =>
  `${count} ${count === 1 ? one : many}`;

/** Validates the flags before the database is opened, and returns the table of the rows, its nouns and the target. */
function chooseTarget({ categories, category, keepIds }: Flags): {
  table: AnyTable;
  nouns: Nouns;
  open: (database: Database) => MaybePromise<ImportTarget>;
} {
  if (categories) {
    if (category !== undefined || keepIds) {
      throw new UsageError('--category and --keep-ids are not allowed with --categories.');
    }
    return {
      table: CATEGORIES,
      nouns: ['category', 'categories'],
      open: ({ write }) =>
        categoryRows((all) =>
          write(commandCause(COMMAND, systemClock), (stores) => stores.categories.putAll(all)),
        ),
    };
  }
  const categoryId = category === undefined ? undefined : parseInt64(category);
  if (category !== undefined && categoryId === undefined) {
    throw new UsageError('--category must be a 64-bit integer.');
  }
  const options = { categoryId, keepIds: keepIds === true };
  return {
    table: PETS,
    nouns: ['animal', 'animals'],
    open: ({ transfer }) =>
      chain(transfer.beginImport(commandCause(COMMAND, systemClock)), (animals) =>
        petRows(animals, options),
      ),
  };
}

function parseOnError(text: string): 'stop' | 'skip' {
  if (text !== 'stop' && text !== 'skip') throw new UsageError('--on-error must be stop or skip.');
  return text;
}

function parseMap(pairs: readonly string[], fields: readonly string[]): Map<string, string> {
  const columns = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.lastIndexOf('=');
    const field = fields.find((known) => known === pair.slice(equals + 1));
    if (equals < 1 || field === undefined) {
      throw new UsageError(
        `--map must be column=field, where field is one of ${fields.join(', ')}.`,
      );
    }
    if (columns.has(field)) throw new UsageError(`--map must not name two columns for ${field}.`);
    columns.set(field, pair.slice(0, equals));
  }
  return columns;
}

function parseFormat(text: string | undefined): Format | undefined {
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

/** Turns an error of the file into a message that says that nothing was imported. */
function explain(error: unknown): unknown {
  if (error instanceof StorageError || error instanceof CommandFailed) return error;
  const isAboutFile =
    error instanceof BadRow || error instanceof UnreadableFile || error instanceof IdTaken;
  const isReadError = error instanceof Error && 'code' in error && 'errno' in error;
  if (!isAboutFile && !isReadError) return error;
  const reason = isReadError ? `The file cannot be read: ${error.message}` : error.message;
  return new CommandFailed(`${reason.replace(/\.$/, '')}. Nothing was imported.`);
}
