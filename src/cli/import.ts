import { createReadStream, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Category } from '../categories/category.ts';
import type { CategoryStore } from '../categories/category-store.ts';
import { parseInt64 } from '../int64.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { type Database, StorageError } from '../storage/database.ts';
import { IdTaken } from '../transfer/catalogue-transfer.ts';
import { CATEGORY_FIELDS, categoryRows } from '../transfer/category-rows.ts';
import {
  BadRow,
  type ImportCounts,
  type ImportTarget,
  importRows,
} from '../transfer/import-rows.ts';
import { PET_FIELDS, petRows } from '../transfer/pet-rows.ts';
import {
  FORMATS,
  type Format,
  formatOfName,
  readRows,
  UnreadableFile,
} from '../transfer/read-rows.ts';
import { commandWith } from './command.ts';
import { DATABASE_SETTINGS, withDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { printJson, tell } from './output.ts';
import { startProgress } from './progress.ts';

interface Flags {
  readonly categories?: true;
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
    DATABASE_SETTINGS,
  );
  const collect = (value: string, earlier: readonly string[]) => [...earlier, value];
  command
    .argument('<file>', 'a CSV, NDJSON or JSON file; - for standard input')
    .option('--categories', 'the file holds the records of categories instead')
    .option('--map <column=field>', 'which column holds a field (may be repeated)', collect, [])
    .option('--category <id>', 'the category of animals that the file gives none')
    .option('--keep-ids', "keep the file's ids; only ids that were never assigned can be kept")
    .option('--on-error <stop|skip>', 'what a bad row does: end the import, or be left out', 'stop')
    .option('--format <format>', `${FORMATS.join(', ')} (default: told by name or content)`)
    .option('--json', 'print the result as JSON');
  return does<Flags>(async (flags, config, [file = '']) => {
    const { fields, open } = chooseTarget(flags);
    const columns = readMap(flags.map, Object.keys(fields));
    const onError = readOnError(flags.onError);
    const format = readFormat(flags.format) ?? formatOfName(file);
    const { bytes, size } = openSource(file);
    const progress = startProgress(size);
    try {
      const counts = await withDatabase(config, async (opened) => {
        const rows = await readRows(progress.counting(bytes), format);
        const report = (row: BadRow) => progress.say(`animal-store: left out ${row.message}`);
        return importRows(rows, await open(opened), { columns, onError }, report, progress.rows);
      });
      progress.end();
      if (flags.json) printJson(counts);
      else tell(describeCounts(counts, flags.categories ? 'categories' : 'animals'));
    } catch (error) {
      progress.end();
      throw explain(error);
    }
  });
}

const describeCounts = ({ imported, skipped }: ImportCounts, what: string): string =>
  `Imported ${imported} ${what}${skipped > 0 ? `, left out ${skipped} rows` : ''}.`;

/** What the rows are and where they go. Wrong flags are told before anything is opened. */
function chooseTarget({ categories, category, keepIds }: Flags): {
  fields: ImportTarget['fields'];
  open: (database: Database) => MaybePromise<ImportTarget>;
} {
  if (categories) {
    if (category !== undefined || keepIds) {
      throw new UsageError('--category and --keep-ids are for animals, not for categories.');
    }
    return {
      fields: CATEGORY_FIELDS,
      open: ({ write }) => categoryRows((all) => write((stores) => putAll(stores.categories, all))),
    };
  }
  const categoryId = category === undefined ? undefined : parseInt64(category);
  if (category !== undefined && categoryId === undefined) {
    throw new UsageError('--category must be a 64-bit integer.');
  }
  const options = { categoryId, keepIds: keepIds === true };
  return {
    fields: PET_FIELDS,
    open: ({ transfer }) => chain(transfer.beginImport(), (animals) => petRows(animals, options)),
  };
}

const putAll = (store: CategoryStore, all: readonly Category[]): MaybePromise<void> =>
  all.reduce<MaybePromise<void>>(
    (done, category) =>
      chain(done, () =>
        chain(store.get(category.id), (known) =>
          known ? store.replace(category) : store.create(category),
        ),
      ),
    undefined,
  );

function readOnError(text: string): 'stop' | 'skip' {
  if (text !== 'stop' && text !== 'skip') throw new UsageError('--on-error must be stop or skip.');
  return text;
}

function readMap(pairs: readonly string[], fields: readonly string[]): Map<string, string> {
  const columns = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.lastIndexOf('=');
    const field = fields.find((known) => known === pair.slice(equals + 1));
    if (equals < 1 || field === undefined) {
      throw new UsageError(
        `--map must be column=field, where field is one of ${fields.join(', ')}.`,
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
  if (error instanceof StorageError || error instanceof CommandFailed) return error;
  const isAboutFile =
    error instanceof BadRow || error instanceof UnreadableFile || error instanceof IdTaken;
  const isReadError = error instanceof Error && 'code' in error && 'errno' in error;
  if (!isAboutFile && !isReadError) return error;
  const reason = isReadError ? `The file cannot be read: ${error.message}` : error.message;
  return new CommandFailed(`${reason.replace(/\.$/, '')}. Nothing was imported.`);
}
