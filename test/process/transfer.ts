import { expect } from 'bun:test';
import { isPostgresUrl } from '../../src/storage/database-url.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { fieldsOf } from '../../src/storage/rows.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { PETS } from '../../src/storage/tables.ts';
import { type ExportFormat, renderRows } from '../../src/transfer/render-rows.ts';
import { readEverything } from '../storage/full-catalogue.ts';
import { animalStore, type Outcome, type Workplace } from '../support/process.ts';

/** Imports text as a file with this name. */
export async function importText(
  place: Workplace,
  name: string,
  text: string | Uint8Array,
  ...flags: readonly string[]
): Promise<Outcome> {
  const file = await place.write(name, text);
  return animalStore(['import', file, '--database', place.database, ...flags]);
}

/** The rows that an import stored, as an export has them, without the start of a process. */
export async function stored(path: string, format: ExportFormat = 'ndjson'): Promise<string> {
  const { transfer, close } = openSqlite(path);
  try {
    const options = { escapeFormulas: false };
    const rows = renderRows(transfer.exportPets(), fieldsOf(PETS), format, options);
    return (await Array.fromAsync(rows)).join('');
  } finally {
    await close();
  }
}

/** All rows of a database, which a path or a URL names. */
export async function everythingIn(name: string) {
  const database = isPostgresUrl(name) ? await openPostgres(name) : openSqlite(name);
  try {
    return await readEverything(database);
  } finally {
    await database.close();
  }
}

/** Exports the catalogue as NDJSON or CSV. */
export async function exported(database: string, format = 'ndjson'): Promise<string> {
  const run = await animalStore(['export', '--format', format, '--database', database]);
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
  return run.stdout;
}

export const lines = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;

/** The numbers of the lines that an import reports as skipped. */
export const skippedLines = ({ stderr }: Outcome): number[] =>
  [...stderr.matchAll(/^animal-store: skipped line (\d+): /gm)].map((match) => Number(match[1]));
