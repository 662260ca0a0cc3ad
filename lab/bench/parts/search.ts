import { encodeCursor } from '../../../src/http/contract/cursor.ts';
import { type Filters, queryParameters, queryText } from '../../../src/http/contract/list-query.ts';
import { BenchFailed } from '../failure.ts';
import type { Options } from '../options.ts';
import { createKey } from '../ours.ts';
import { BUN } from '../paths.ts';
import { runOrFail } from '../processes.ts';
import { machine, toJson, writeResult } from '../results.ts';
import { CATEGORIES, KINDS, nameOf } from '../rows.ts';
import { bearer, type RunningServer } from '../server.ts';
import { percentileOf, type Spread, spreadOf } from '../statistics.ts';
import { milliseconds, renderTable } from '../table.ts';
import type { Workspace } from '../workspace.ts';
import { type RunningLoad, startWrk } from '../wrk.ts';
import { availableIds, ORDERS } from './capacity.ts';
import { copyFor, startOnBoth } from './catalogue.ts';

const LARGE = 1_000_000;
const LISTS_PER_SECOND = 1_000;
/** More than the connections to PostgreSQL that search at a time. */
const SEARCHERS = 4;
const OTHERS_PER_SECOND = 100;

/** Searches whose clients go away. */
const STORMS = [
  { title: 'no searches', perSecond: 1, seconds: 0, openMs: 0 },
  {
    title: '600 searches, sent and closed in a second',
    perSecond: 1_200,
    seconds: 0.5,
    openMs: 500,
  },
  {
    title: '100 searches per second for 15 s, closed at once',
    perSecond: 100,
    seconds: 15,
    openMs: 0,
  },
];
/** Before the searches of a storm, and after them. */
const OTHERS_ALONE_MS = 1_000;

/** What the service is meant to reach with 1,000,000 animals. */
const GOALS = {
  p50Ms: { sqlite: 150, postgres: 300 },
  perSecond: 8,
  listsP99Ms: 20,
  othersP99Ms: 50,
};

interface Site {
  readonly workspace: Workspace;
  readonly server: RunningServer;
  readonly animals: number;
  /** A key that may only read animals, for clients that go away. */
  readonly readKey: string;
  /** The ids of the animals that can be ordered, in a file. */
  readonly available: string;
}

/** Measures searches by name on both engines: alone, beside lists, and by clients that go away. */
export async function search(workspace: Workspace, options: Options): Promise<void> {
  const animals = Math.min(options.largest, LARGE);
  const { onSqlite, onPostgres, postgres, rows } = await startOnBoth(workspace, animals, 'search');
  const databases = [copyFor(workspace, 'sqlite'), postgres.urlOf('search')];
  const available = availableIds(workspace, rows);
  const engines: object[] = [];
  for (const [index, server] of [onSqlite, onPostgres].entries()) {
    const readKey = await createKey(workspace, databases[index] ?? '', 'pets:read');
    const site = { workspace, server, animals, readKey, available };
    console.log(`Searches on ${server.entry.title}, ${animals.toLocaleString('en')} animals\n`);
    const alone = await measureAlone(site, options);
    const beside = await measureBesideLists(site, options);
    const abandoned = await measureAbandoned(site);
    engines.push({ engine: server.entry.title, alone, beside, abandoned });
    await server.process.stop();
  }
  const { rounds, seconds } = options;
  const head = { date: new Date().toISOString(), machine: machine(), animals, rounds, seconds };
  const json = toJson({ ...head, goals: GOALS, engines });
  console.log(`Written: ${writeResult('search.json', json)}.`);
}

/** The path of the search of a number, from 0, by what it finds. Paths differ, so that no response comes from the cache. */
export function searchPaths(animals: number): Record<string, (number: number) => string> {
  const pairs = rarePairs();
  return {
    'in no name': missPath,
    'in a few names': (number) => searchPath({ name: nameOf(randomRow(number, animals)) }),
    'in every ninth name, from a random place': (number) =>
      searchPath({ name: inTurn(KINDS, number) }, randomRow(number, animals)),
    'in no name of a category': (number) =>
      searchPath({ categoryId: 1 + (number % CATEGORIES), name: `Nobody ${number}` }),
    'two letters, in no name': (number) =>
      searchPath({ name: inTurn(pairs, number) }, Math.floor(number / pairs.length)),
  };
}

const missPath = (number: number): string => searchPath({ name: `Nobody ${number}` });

/** Not the first tenth: many names contain a name with a short number. */
const randomRow = (number: number, animals: number): number =>
  Math.floor(animals * (0.1 + (0.9 * (Math.imul(number, 2_654_435_761) >>> 0)) / 2 ** 32));

/** @param filters in the order of their declaration, on which cursors depend. */
function searchPath(filters: Filters, afterId?: number): string {
  const query = { filters, sort: 'id' } as const;
  const cursor = afterId && encodeCursor(afterId, `/pets${queryText(query)}`);
  return `/v1/pets?${queryParameters(query)}limit=20${cursor ? `&cursor=${cursor}` : ''}`;
}

const inTurn = (texts: readonly string[], number: number): string =>
  texts[number % texts.length] ?? '';

/** All pairs of letters that are in no name. */
function rarePairs(): string[] {
  const names = KINDS.join(' ').toLowerCase();
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  return pairs.filter((pair) => !names.includes(pair));
}

/** One client searches sequentially, for `seconds` with each kind of texts. */
async function measureAlone({ server, animals }: Site, { seconds }: Options) {
  const results: { text: string; searches: number; p50Ms: number; p99Ms: number }[] = [];
  for (const [text, pathOf] of Object.entries(searchPaths(animals))) {
    const latencies = await searchInTurn(server, seconds, pathOf);
    const [p50Ms, p99Ms] = [percentileOf(latencies, 0.5), percentileOf(latencies, 0.99)];
    results.push({ text, searches: latencies.length, p50Ms, p99Ms });
  }
  const rows = results.map(({ text, searches, p50Ms, p99Ms }) => [
    ...[text, String(searches), milliseconds(p50Ms), milliseconds(p99Ms)],
  ]);
  console.log(renderTable([['Alone: a text', 'searches', 'p50 ms', 'p99 ms'], ...rows]));
  const goal = GOALS.p50Ms[server.postgres ? 'postgres' : 'sqlite'];
  console.log(`Goal with ${LARGE.toLocaleString('en')} animals: p50 at most ${goal} ms.\n`);
  return results;
}

let searches = 0;

/** Searches one after the other until the time is over. The last search may take longer. Returns their latencies. */
async function searchInTurn(
  { origin, key }: RunningServer,
  seconds: number,
  pathOf: (number: number) => string,
): Promise<number[]> {
  const latencies: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  for (let startedMs = performance.now(); startedMs < endMs; startedMs = performance.now()) {
    searches += 1;
    const path = pathOf(searches);
    const response = await fetch(origin + path, { headers: bearer(key) });
    const body = await response.text();
    if (!response.ok) throw new BenchFailed(`GET ${path}: ${body.slice(0, 200)}`);
    latencies.push(performance.now() - startedMs);
  }
  return latencies;
}

/** Sends requests of a script at a steady pace. */
const startPaced = (
  { workspace, server: { origin, key } }: Site,
  perSecond: number,
  script: readonly string[],
  mayFail = false,
): RunningLoad => {
  const load = { script: 'paced', args: [`${perSecond}`, ...script], url: `${origin}/`, key };
  return startWrk(workspace, { ...load, connections: 32, seconds: 600, mayFail });
};

/** Lists at a steady pace, without searches and with them: what both reach in each round. */
async function measureBesideLists(site: Site, { rounds, seconds }: Options) {
  const { paths, files } = site.server;
  const taken: Record<string, number>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const script = ['varied', paths.coldList, files.pages, `${round}`];
    const alone = startPaced(site, LISTS_PER_SECOND, script);
    await Bun.sleep(seconds * 1_000);
    const withoutSearches = await alone.stop();
    const beside = startPaced(site, LISTS_PER_SECOND, script);
    const startedMs = performance.now();
    const found = await Promise.all(
      Array.from({ length: SEARCHERS }, () => searchInTurn(site.server, seconds, missPath)),
    );
    const searchedSeconds = (performance.now() - startedMs) / 1_000;
    const lists = await beside.stop();
    taken.push({
      'searches/s': found.flat().length / searchedSeconds,
      'lists/s': lists.requestsPerSecond,
      'lists, p99 ms': lists.p99Ms,
      'lists without searches, p99 ms': withoutSearches.p99Ms,
    });
  }
  const figures = Object.keys(taken[0] ?? {}).map((figure) => {
    const spread = spreadOf(taken.map((round) => round[figure] ?? Number.NaN));
    return [figure, spread] as const;
  });
  const rows = figures.map(([figure, spread]) => [figure, ...rangeOf(spread)]);
  console.log(renderTable([['Beside lists: a text in no name', 'median', 'range'], ...rows]));
  const { perSecond, listsP99Ms } = GOALS;
  console.log(`Goal: at least ${perSecond} searches/s; lists, p99: at most ${listsP99Ms} ms.\n`);
  return Object.fromEntries(figures);
}

const rangeOf = ({ median, lowest, highest }: Spread): string[] => [
  median.toFixed(1),
  `${lowest.toFixed(1)}–${highest.toFixed(1)}`,
];

/** By kind of requests. */
type Others = Record<string, { readonly p99Ms: number; readonly failed: number }>;

/** Requests of others while clients send searches and go away. */
async function measureAbandoned(site: Site) {
  const { workspace, server, readKey, available } = site;
  const { paths, files } = server;
  const results: { title: string; others: Others }[] = [];
  for (const [index, { title, perSecond, seconds, openMs }] of STORMS.entries()) {
    const scripts = {
      lists: ['varied', paths.coldList, files.pages, `${index}`],
      orders: ['orders', ORDERS, available, `${index * 5_000}`],
      events: ['varied', '/v1/events?limit=20&subject=pets/@', files.ids, `${index}`],
    };
    const running = Object.entries(scripts).map(
      ([what, script]) => [what, startPaced(site, OTHERS_PER_SECOND, script, true)] as const,
    );
    await Bun.sleep(OTHERS_ALONE_MS);
    const args = [server.origin, readKey, ...[perSecond, seconds, openMs].map(String)];
    const command = [BUN, 'lab/bench/clients/abandon-searches.ts', ...args];
    await runOrFail(workspace, { command });
    await Bun.sleep(OTHERS_ALONE_MS);
    const others: Others = {};
    for (const [what, load] of running) {
      const { p99Ms, failed } = await load.stop();
      others[what] = { p99Ms, failed };
    }
    results.push({ title, others });
  }
  const rows = results.map(({ title, others }) => {
    const all = Object.values(others);
    const failed = all.reduce((sum, one) => sum + one.failed, 0);
    return [title, ...all.map(({ p99Ms }) => milliseconds(p99Ms)), String(failed)];
  });
  const head = ['Clients that go away; p99 ms of others', 'lists', 'orders', 'events', 'failed'];
  console.log(renderTable([head, ...rows]));
  console.log(`Goal: at most ${GOALS.othersP99Ms} ms, and no request fails.\n`);
  return results;
}
