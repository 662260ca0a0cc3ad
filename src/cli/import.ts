import { createReadStream, statSync } from 'node:fs';
import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { commandCause } from '../events/command-cause.ts';
import { parseInt64 } from '../int64.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { type Database, isConstraintError } from '../storage/database.ts';
import { IdTaken } from '../transfer/catalogue-transfer.ts';
import { CATEGORY_FIELDS, categoryRows } from '../transfer/category-rows.ts';
import { type Delimiter, describeDelimiter } from '../transfer/files/csv-reader.ts';
import type { FileField, FileFields } from '../transfer/files/fields.ts';
import { FORMATS, type Format, formatOfName, readRows } from '../transfer/files/read-rows.ts';
import { UnreadableFile } from '../transfer/files/unreadable-file.ts';
import {
  BadRow,
  type ImportCounts,
  type ImportTarget,
  importRows,
} from '../transfer/import-rows.ts';
import { petFields, petRows } from '../transfer/pet-rows.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { DATABASE_SETTINGS, withDatabase } from './database.ts';
import { CommandFailed, UsageError } from './failures.ts';
import type { Io } from './io.ts';
import { counted } from './output.ts';
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

export function importCommand(io: Io): Command {
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
  return withSettings(io, command, DATABASE_SETTINGS, async (flags: Flags, config, [file = '']) => {
    const { fields, nouns, open } = chooseTarget(flags);
    const { id, ...others } = parseMap(flags.map, fields);
    const keepsIds = flags.categories || flags.keepIds;
    if (id?.column !== undefined && !keepsIds)
      throw new UsageError('--map to id is allowed only with --keep-ids: otherwise no id is used.');
    const used = keepsIds ? { ...(id && { id }), ...others } : others;
    const onError = parseOnError(flags.onError);
    const format = parseFormat(flags.format) ?? formatOfName(file);
    const { open: openFile, size } = findSource(io, file);
    const progress = startProgress(io, size);
    try {
      const result = await withDatabase(io, config, async (opened): Promise<Result> => {
        const rows = await readRows(progress.countBytes(openFile()), format, used);
        const report = (row: BadRow) => progress.print(`animal-store: skipped ${row.message}`);
        const target = await open(opened);
        const counts = await importRows(rows.batches, target, onError, report, progress.showRows);
        const delimiter = rows.delimiter() ?? ',';
        return delimiter === ',' ? counts : { ...counts, delimiter };
      });
      progress.end();
      if (flags.json) await io.json(result);
      else io.message(describeResult(result, nouns));
    } catch (error) {
      progress.end();
      throw explain(error);
    }
  });
}

/** The word for one row, and for several. */
type Nouns = readonly [one: string, several: string];

/** The counts, and the delimiter that was found if that is not a comma. */
type Result = ImportCounts & { readonly delimiter?: Delimiter };

function describeResult({ imported, skipped, delimiter }: Result, nouns: Nouns): string {
  const left = skipped > 0 ? `, skipped ${counted(skipped, 'row')}` : '';
  const found = delimiter ? ` (${describeDelimiter(delimiter)})` : '';
  return `Imported ${counted(imported, ...nouns)}${left}${found}.`;
}

/** Validates the flags before the database is opened, and returns the fields of the rows, their nouns and the target. */
function chooseTarget({ categories, category, keepIds }: Flags): {
  fields: FileFields;
  nouns: Nouns;
  open: (database: Database) => MaybePromise<ImportTarget>;
} {
  if (categories) {
    if (category !== undefined || keepIds) {
      throw new UsageError('--category and --keep-ids are not allowed with --categories.');
    }
    return {
      fields: CATEGORY_FIELDS,
      nouns: ['category', 'categories'],
      open: ({ write }) =>
        categoryRows((all) =>
          write(commandCause(COMMAND, systemClock), (stores) => stores.categories.putAll(all), {
            isLong: true,
          }),
        ),
    };
  }
  const categoryId = category === undefined ? undefined : parseInt64(category);
  if (category !== undefined && categoryId === undefined) {
    throw new UsageError('--category must be a 64-bit integer.');
  }
  return {
    fields: petFields(categoryId),
    nouns: ['animal', 'animals'],
    open: ({ transfer }) => {
      const { actor } = commandCause(COMMAND, systemClock);
      const cause = () => ({ actor, at: systemClock.now() });
      return chain(transfer.beginImport(cause), (animals) => petRows(animals, categoryId));
    },
  };
}

function parseOnError(text: string): 'stop' | 'skip' {
  if (text !== 'stop' && text !== 'skip') throw new UsageError('--on-error must be stop or skip.');
  return text;
}

/** Returns the fields with the columns that `--map` names. */
function parseMap(pairs: readonly string[], fields: FileFields): FileFields {
  const mapped: Record<string, FileField> = { ...fields };
  for (const pair of pairs) {
    const equals = pair.lastIndexOf('=');
    const name = pair.slice(equals + 1);
    const field = Object.hasOwn(mapped, name) ? mapped[name] : undefined;
    if (equals < 1 || field === undefined) {
      throw new UsageError(
        `--map must be column=field, where field is one of ${Object.keys(fields).join(', ')}.`,
      );
    }
    if (field.column !== undefined)
      throw new UsageError(`--map must not name two columns for ${name}.`);
    mapped[name] = { ...field, column: pair.slice(0, equals) };
  }
  return mapped;
}

function parseFormat(text: string | undefined): Format | undefined {
  const format = FORMATS.find((known) => known === text);
  if (text !== undefined && format === undefined) {
    throw new UsageError(`--format must be one of ${FORMATS.join(', ')}.`);
  }
  return format;
}

interface Source {
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly size: number | undefined;
}

function findSource(io: Io, file: string): Source {
  if (file === '-') return { open: () => io.streams.input, size: undefined };
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new CommandFailed(`${file} is a folder, not a file.`);
    return { open: () => createReadStream(file), size: stats.isFile() ? stats.size : undefined };
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(
      `${file} cannot be read: ${error instanceof Error ? error.message : error}.`,
    );
  }
}

/** Turns an error of the file or its rows into a message that says that nothing was imported. */
function explain(error: unknown): unknown {
  const reason = reasonOf(error)?.replace(/\.$/, '');
  return reason === undefined ? error : new CommandFailed(`${reason}. Nothing was imported.`);
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof BadRow || error instanceof UnreadableFile || error instanceof IdTaken)
    return error.message;
  if (isConstraintError(error)) return `The database refuses a row: ${error.message}`;
  // Errors of SQLite also have a code and a number.
  return error instanceof Error && 'syscall' in error
    ? `The file cannot be read: ${error.message}`
    : undefined;
}
