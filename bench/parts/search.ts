import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '../options.ts';
import { importRows, oursOn, startOursOn } from '../ours.ts';
import { startPostgres } from '../postgres.ts';
import { machine, toJson, writeResult } from '../results.ts';
import { rowsFile, shuffledIds } from '../rows.ts';
import { milliseconds, renderTable } from '../table.ts';
import type { Workspace } from '../workspace.ts';
import { postgresCatalogue, type SearchCatalogue, sqliteCatalogue } from './search-catalogue.ts';
import { type Latency, latencyOf, readSteadily } from './search-clients.ts';
import { OTHERS, searchKinds } from './search-kinds.ts';
import {
  type Condition,
  measureSearches,
  renderSearches,
  type SearchResult,
  type SearchTarget,
} from './search-rounds.ts';

const LARGE = 1_000_000;
const ADDITIONS_PER_SECOND = 5_000;

const AT_REST: Condition = { title: 'At rest, with a complete index' };
const DURING_ADDITIONS: Condition = {
  title: `During ${ADDITIONS_PER_SECOND.toLocaleString('en')} additions per second`,
  additionsPerSecond: ADDITIONS_PER_SECOND,
};
const AFTER_IMPORT: Condition = {
  title: 'Right after another import of as many animals',
};

/** Measures searches by name on SQLite, and the other reads at the same time. */
export async function search(workspace: Workspace, options: Options): Promise<void> {
  const database = join(workspace.folder('search'), 'animals.db');
  await importOthers(workspace, database, animalsOf(options));
  await measure(workspace, options, sqliteCatalogue(database), 'SQLite', 'search');
}

/** The same on PostgreSQL. */
export async function searchOnPostgres(workspace: Workspace, options: Options): Promise<void> {
  const server = await startPostgres(workspace);
  const database = await server.createDatabase('search');
  await importOthers(workspace, database, animalsOf(options));
  await measure(workspace, options, postgresCatalogue(database), 'PostgreSQL', 'pg-search');
}

const animalsOf = ({ largest }: Options): number => Math.min(largest, LARGE);

/** Creates the catalogue with the animals of a category of their own: one per cent. */
async function importOthers(workspace: Workspace, database: string, animals: number) {
  const count = animals / 100;
  const rows = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ name: `${OTHERS.name} ${index}`, categoryId: OTHERS.categoryId }),
  );
  const path = join(workspace.folder('search'), 'others.ndjson');
  writeFileSync(path, `${rows.join('\n')}\n`);
  await importRows(workspace, database, { path, count });
}

async function measure(
  workspace: Workspace,
  options: Options,
  catalogue: SearchCatalogue,
  title: string,
  name: string,
): Promise<void> {
  workspace.onCleanup(() => catalogue.close());
  const animals = animalsOf(options);
  const rows = await rowsFile(animals);
  const entry = oursOn(catalogue.database, name, title);
  const { server } = await startOursOn(workspace, catalogue.database, entry, rows);
  let reads = 0;
  const numbers = new Map<string, number>();
  const ids = shuffledIds(animals);
  const target: SearchTarget = {
    workspace,
    server,
    catalogue,
    nextId: () => ids[reads++ % animals] ?? 1,
    nextNumber(kind) {
      const number = numbers.get(kind) ?? 0;
      numbers.set(kind, number + 1);
      return number;
    },
  };
  const importAll = () => importRows(workspace, catalogue.database, rows);

  const importSeconds = await secondsOf(importAll);
  const indexing = await waitForIndex(target);
  console.log(`Searches on ${title}, ${animals.toLocaleString('en')} animals\n`);
  console.log(renderIndexing(importSeconds, indexing));
  const sizes = await catalogue.sizes();
  const kinds = searchKinds(animals);
  const conditions: { title: string; results: SearchResult[] }[] = [];
  const run = async (condition: Condition): Promise<void> => {
    const results = await measureSearches(target, condition, kinds, options);
    console.log(renderSearches(condition, results));
    conditions.push({ title: condition.title, results });
  };
  await run(AT_REST);
  await run(DURING_ADDITIONS);
  await waitForIndex(target);
  await importAll();
  await run(AFTER_IMPORT);
  console.log(renderSizes(sizes, animals));
  const { rounds, seconds } = options;
  const head = { date: new Date().toISOString(), machine: machine(), animals, rounds, seconds };
  const json = toJson({ ...head, importSeconds, indexing, conditions, sizes });
  console.log(`Written: ${writeResult(`${name}.json`, json)}.`);
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

interface Indexing {
  readonly unindexed: number;
  readonly seconds: number;
  readonly reads: Latency;
}

const POLL_MS = 250;

/** Waits until all animals are in the index. Until then, single animals are read. */
async function waitForIndex({ server, catalogue, nextId }: SearchTarget): Promise<Indexing> {
  const unindexed = await catalogue.unindexed();
  const untilIndexed = async () => {
    while ((await catalogue.unindexed()) > 0) await Bun.sleep(POLL_MS);
  };
  let reads: readonly number[] = [];
  const seconds = await secondsOf(async () => {
    reads = await readSteadily(server, nextId, untilIndexed());
  });
  return { unindexed, seconds, reads: latencyOf([reads]) };
}

const renderIndexing = (importSeconds: number, { unindexed, seconds, reads }: Indexing): string =>
  `The import took ${importSeconds.toFixed(1)} s. Then ${unindexed.toLocaleString('en')} animals were not indexed. ` +
  `They were after ${seconds.toFixed(1)} s, without searches. ` +
  `Other reads during that time: p50 ${milliseconds(reads.p50Ms)} ms, p99 ${milliseconds(reads.p99Ms)} ms (${reads.requests}).\n`;

function renderSizes(sizes: Readonly<Record<string, number>>, animals: number): string {
  const perAnimal = (bytes: number): string => (bytes / (animals * 1.01)).toFixed(1);
  const rows = Object.entries(sizes).map(([what, bytes]) => [
    what,
    bytes.toLocaleString('en'),
    perAnimal(bytes),
  ]);
  return `${renderTable([['Sizes', 'bytes', 'per animal'], ...rows])}\n`;
}
