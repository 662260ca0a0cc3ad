import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { CATEGORY_COLUMNS, readCategories } from '../transfer/category-rows.ts';
import { PET_COLUMNS } from '../transfer/pet-rows.ts';
import { formatOfName } from '../transfer/read-rows.ts';
import { EXPORT_FORMATS, type ExportFormat, renderRows } from '../transfer/render-rows.ts';
import { commandWith } from './command.ts';
import { withExistingDatabase } from './database.ts';
import { CommandFailed, UsageError } from './exit-status.ts';

interface Flags {
  readonly categories?: true;
  readonly format?: string;
  readonly output?: string;
}

export function exportCommand(): Command {
  const { command, does } = commandWith('export', 'write all animals, as they are at one moment', [
    'database',
  ]);
  command
    .option('--categories', 'write the records of categories instead')
    .option(
      '--format <format>',
      `${EXPORT_FORMATS.join(' or ')} (default: told by the name, else ndjson)`,
    )
    .option('--output <file>', 'the file to write; without it, standard output');
  return does<Flags>(async ({ categories, format, output }, { database }) => {
    const chosen = chooseFormat(format, output);
    await withExistingDatabase(database, async ({ read, transfer }) => {
      const rows = categories
        ? renderRows([await readCategories(read.categories)], CATEGORY_COLUMNS, chosen)
        : renderRows(transfer.exportPets(), PET_COLUMNS, chosen);
      const text = Readable.from(rows);
      await (output === undefined ? writeToPipe(text, process.stdout) : writeToFile(text, output));
    });
  });
}

function chooseFormat(format: string | undefined, output: string | undefined): ExportFormat {
  const told = format ?? formatOfName(output ?? '') ?? 'ndjson';
  const known = EXPORT_FORMATS.find((candidate) => candidate === told);
  if (known === undefined)
    throw new UsageError(`--format must be one of ${EXPORT_FORMATS.join(', ')}.`);
  return known;
}

/** A reader that has seen enough, such as `head`, is no failure. */
async function writeToPipe(text: Readable, pipe: Writable): Promise<void> {
  try {
    await pipeline(text, pipe, { end: false });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}

/** The file appears under its name only when it is whole and on disk. */
async function writeToFile(text: Readable, path: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await pipeline(text, createWriteStream(unfinished));
    const file = await open(unfinished, 'r+');
    await file.sync();
    await file.close();
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new CommandFailed(
      `${path} cannot be written: ${error instanceof Error ? error.message : error}.`,
    );
  }
}
