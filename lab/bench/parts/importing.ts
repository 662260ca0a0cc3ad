import { Database } from 'bun:sqlite';
import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { foldText } from '../../../src/fold-text.ts';
import type { Options } from '../options.ts';
import { importRows } from '../ours.ts';
import { runOrFail } from '../processes.ts';
import { machine, toJson, writeResult } from '../results.ts';
import { type RowsFile, rowsFile } from '../rows.ts';
import { ratioOf, spreadOf } from '../statistics.ts';
import { perSecond, renderTable } from '../table.ts';
import type { Workspace } from '../workspace.ts';

const ROWS = 1_000_000;

/** The same table and indexes as in a catalogue of the service, without the checks of its rows. */
function shellScript(catalogue: string, csvFile: string): string {
  const database = new Database(catalogue, { readonly: true });
  const objects = database
    .query<{ sql: string }, []>(
      `SELECT sql FROM sqlite_schema
      WHERE tbl_name = 'pets' AND type IN ('table', 'index') AND sql IS NOT NULL ORDER BY type DESC`,
    )
    .all();
  database.close();
  return `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA ignore_check_constraints = ON;
${objects.map(({ sql }) => `${sql};`).join('\n')}
.mode csv
.import '${csvFile}' pets
`;
}

/** Measures an import into a new catalogue, and compares it with SQLite's shell if that is installed. */
export async function importing(workspace: Workspace, { rounds }: Options): Promise<void> {
  const rows = await rowsFile(ROWS);
  const folder = workspace.folder('import');
  const csvFile = join(folder, 'animals.csv');
  const script = join(folder, 'import.sql');
  const hasShell = Bun.which('sqlite3') !== null;
  if (hasShell) await writeCsv(rows, csvFile);
  else console.error('Without the sqlite3 shell, which is not installed: apt-get install sqlite3');
  const ours: number[] = [];
  const shell: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const file = (name: string): string => join(folder, `${name}-${round}.db`);
    ours.push(await rate(() => importRows(workspace, file('ours'), rows)));
    if (round === 0) writeFileSync(script, shellScript(file('ours'), csvFile));
    if (hasShell) shell.push(await rate(() => importWithShell(workspace, file('shell'), script)));
  }
  report(ours, shell);
}

/** Returns rows/s. */
async function rate(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (ROWS / (performance.now() - startedAt)) * 1_000;
}

const importWithShell = (workspace: Workspace, database: string, script: string): Promise<string> =>
  runOrFail(workspace, { command: ['sqlite3', '-bail', database, `.read '${script}'`] });

async function writeCsv({ path }: RowsFile, csvFile: string): Promise<void> {
  const lines = createInterface({ input: createReadStream(path) });
  await pipeline(async function* () {
    let id = 0;
    for await (const line of lines) {
      id += 1;
      const { name, categoryId, status = '' } = JSON.parse(line);
      yield `${id},${name},${categoryId},${status},${foldText(name)}\n`;
    }
  }, createWriteStream(csvFile));
}

function report(ours: readonly number[], shell: readonly number[]): void {
  const spreads = { ours: spreadOf(ours), ...(shell.length > 0 && { sqlite3: spreadOf(shell) }) };
  const rows = Object.entries(spreads).map(([name, { median, lowest, highest }]) => [
    name,
    perSecond(median),
    `${perSecond(lowest)}–${perSecond(highest)}`,
  ]);
  console.log(`Import of ${ROWS.toLocaleString('en')} rows`);
  console.log(renderTable([['', 'rows/s', 'range'], ...rows]));
  const ratio = shell.length > 0 ? ratioOf(ours, shell) : undefined;
  if (ratio !== undefined) console.log(`ours/sqlite3: ${ratio.median.toFixed(2)}`);
  const date = new Date().toISOString();
  const json = toJson({ date, machine: machine(), rows: ROWS, rowsPerSecond: spreads, ratio });
  console.log(`Written: ${writeResult('import.json', json)}.`);
}
