import { createWriteStream } from 'node:fs';
import { open as openFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { CATEGORY_COLUMNS, readCategories } from '../transfer/category-rows.ts';
import { PET_COLUMNS } from '../transfer/pet-rows.ts';
import { formatOfName } from '../transfer/read-rows.ts';
import { EXPORT_FORMATS, type ExportFormat, renderRows } from '../transfer/render-rows.ts';
import { commandWith } from './command.ts';
import { DATABASE_SETTINGS, withExistingDatabase } from './database.ts';
import { cannotWrite, UsageError } from './failures.ts';

interface Flags {
  readonly categories?: true;
  readonly escapeFormulas?: true;
  readonly format?: string;
  readonly output?: string;
}

export function exportCommand(): Command {
  const { command, does } = commandWith(
    'export',
    'write all animals, as they are at one moment',
    DATABASE_SETTINGS,
  );
  command
    .option('--categories', 'write the records of categories instead')
    .option(
      '--format <format>',
      `${EXPORT_FORMATS.join(' or ')} (default: told by the name, else ndjson)`,
    )
    .option('--output <file>', 'the file to write; without it, standard output')
    .option(
      '--escape-formulas',
      "put a ' before texts that a spreadsheet would run as formulas; they are not read back as they were",
    );
  return does<Flags>(async ({ categories, escapeFormulas, format, output }, config) => {
    const chosen = chooseFormat(format, output);
    if (escapeFormulas && chosen !== 'csv') {
      throw new UsageError('--escape-formulas is only for CSV: add --format csv.');
    }
    const options = { escapesFormulas: escapeFormulas === true };
    await withExistingDatabase(config, async ({ read, transfer }) => {
      const rows = categories
        ? renderRows([await readCategories(read.categories)], CATEGORY_COLUMNS, chosen, options)
        : renderRows(transfer.exportPets(), PET_COLUMNS, chosen, options);
      const text = Readable.from(rows);
      if (output !== undefined) await writeToFile(text, output);
      else await writeToPipe('Standard output', pipeline(text, process.stdout, { end: false }));
    });
  });
}

function chooseFormat(format: string | undefined, output: string | undefined): ExportFormat {
  const told = format ?? formatOfName(output ?? '') ?? 'ndjson';
  const known = EXPORT_FORMATS.find((candidate) => candidate === told);
  if (known !== undefined) return known;
  const formats = EXPORT_FORMATS.join(', ');
  throw new UsageError(
    format === undefined
      ? `--output names a format that is not written: choose one of ${formats} with --format.`
      : `--format must be one of ${formats}.`,
  );
}

/** A reader that has seen enough, such as `head`, is no failure. */
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
 * The file appears under its name only when it is whole and on disk. What is no file of its own,
 * such as a device or a pipe, is written to as it is.
 */
async function writeToFile(text: Readable, path: string): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there && !there.isFile() && !there.isDirectory()) {
    return writeToPipe(path, pipeline(text, createWriteStream(path)));
  }
  const target = there ? await realpath(path) : path;
  const unfinished = `${target}.${process.pid}.unfinished`;
  try {
    await pipeline(text, createWriteStream(unfinished));
    const file = await openFile(unfinished, 'r+');
    await file.sync();
    await file.close();
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw cannotWrite(path, error);
  }
}
