/**
 * What a request costs in two checkouts of the service: processor time, user and system, of the service and of its PostgreSQL server.
 * The checkouts take turns in each round. Two equal checkouts show the noise of the machine: compare them first.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BadFlag, BenchFailed } from './failure.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import {
  freePort,
  type RunningProcess,
  runOrFail,
  startProcess,
  waitUntilReady,
} from './processes.ts';
import { processorTime, requireProcessorTime } from './processor-time.ts';
import { bearer } from './server.ts';
import { spreadOf } from './statistics.ts';
import { renderTable } from './table.ts';
import { type Workspace, withWorkspace } from './workspace.ts';
import { requireWrk, runWrk } from './wrk.ts';

const ENGINES = ['sqlite', 'postgres'] as const;
type Engine = (typeof ENGINES)[number];

const CATEGORIES = 50;
const STATUSES = ['available', 'pending', 'sold', undefined];

/** A running checkout with a database of its own. */
interface Site {
  readonly workspace: Workspace;
  readonly origin: string;
  readonly key: string;
  readonly processes: readonly RunningProcess[];
  readonly files: Readonly<Record<'ids' | 'cursors' | 'categories' | 'numbers', string>>;
}

/** Sends requests for some seconds, and returns how many. */
type Work = (site: Site, seconds: number, run: number) => Promise<number>;

/** @param args those of the script in `workloads`, from those of this run. */
const wrk =
  (connections: number, script: string, args: (site: Site, run: string) => string[]): Work =>
  async ({ workspace, origin, key, ...site }, seconds, run) => {
    const from = { workspace, origin, key, ...site };
    const load = { script, args: args(from, String(run)), url: origin, key, connections, seconds };
    return (await runWrk(workspace, load)).requests;
  };

const get = (path: string, part: keyof Site['files']): Work =>
  wrk(32, 'varied', ({ files }, run) => [path, files[part], run]);

const create = (connections: number, categoryId: string): Work =>
  wrk(connections, 'bodies', ({ files }, run) => [
    ...['POST', '/v1/pets', files.categories],
    ...[`{"name":"Animal %d","categoryId":${categoryId},"status":"%s"}`, run],
  ]);

const WORKS: Readonly<Record<string, Work>> = {
  'hot-list': async ({ workspace, origin, key }, seconds) => {
    const url = `${origin}/v1/pets?limit=20&status=available`;
    const load = { script: 'same', args: [], url, key, connections: 32, seconds };
    return (await runWrk(workspace, load)).requests;
  },
  'cold-list': get('/v1/pets?limit=20&status=available&cursor=@', 'cursors'),
  'cold-list-100': get('/v1/pets?limit=100&status=available&cursor=@', 'cursors'),
  'category-list': get('/v1/pets?limit=20&categoryId=@', 'categories'),
  'one-animal': get('/v1/pets/@', 'ids'),
  search: get('/v1/pets?limit=20&name=number%20@', 'numbers'),
  'create-32': create(32, '7'),
  'create-128': create(128, '7'),
  'create-32-of-50': create(32, '@'),
  'create-128-of-50': create(128, '@'),
  change: wrk(32, 'bodies', ({ files }, run) => [
    ...['PATCH', '/v1/pets/@', files.ids, '{"name":"Changed %d","status":"%s"}', run],
  ]),
  order: placeAndCancel,
};

/** Places and cancels orders on 32 connections. Each animal is available again afterwards. */
async function placeAndCancel({ origin, key }: Site, seconds: number): Promise<number> {
  const headers = { ...bearer(key), 'Content-Type': 'application/json' };
  const send = async (method: string, path: string, body: object) => {
    const response = await fetch(origin + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new BenchFailed(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as { readonly id: number };
  };
  const endMs = performance.now() + seconds * 1_000;
  let requests = 0;
  const client = async (number: number) => {
    const { id: petId } = await send('POST', '/v1/pets', {
      ...{ name: `Ordered ${number}`, categoryId: number, status: 'available' },
    });
    requests += 1;
    while (performance.now() < endMs) {
      const { id } = await send('POST', '/v1/store/orders', { petId });
      await send('PATCH', `/v1/store/orders/${id}`, { status: 'cancelled' });
      requests += 2;
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, number) => client(number)));
  return requests;
}

/** The rows of both catalogues: many names, categories, all statuses and none. */
function writeRows(path: string, animals: number): void {
  const rows = Array.from({ length: animals }, (_, number) =>
    JSON.stringify({
      ...{ name: `Animal number ${number}`, categoryId: number % CATEGORIES },
      status: STATUSES[number % STATUSES.length],
    }),
  );
  writeFileSync(path, `${rows.join('\n')}\n`);
}

async function startSite(
  workspace: Workspace,
  { checkout, name, engine }: { checkout: string; name: string; engine: Engine },
  rows: string,
  postgres: PostgresServer | undefined,
): Promise<Site> {
  const folder = workspace.folder(name);
  const database = (await postgres?.createDatabase(name)) ?? join(folder, 'animals.db');
  const port = await freePort();
  const variables = { DATABASE_URL: database, PORT: String(port), HOST: '127.0.0.1' };
  const program = [join(checkout, 'node_modules/.bin/bun'), join(checkout, 'src/main.ts')];
  const run = (...args: string[]) =>
    runOrFail(workspace, { command: [...program, ...args], cwd: folder, variables });
  if (engine === 'postgres') await run('migrate');
  const scopes = 'pets:read,pets:write,orders:read,orders:write';
  const { key } = JSON.parse(
    await run('keys', 'create', '--name', 'cost', '--scopes', scopes, '--json'),
  ) as { readonly key: string };
  await run('import', rows);
  const launch = { command: [...program, 'serve'], cwd: folder, variables };
  const service = startProcess(workspace, launch, '/dev/null');
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilReady(service, `${origin}/v1/pets?limit=1`, bearer(key));
  const file = (part: string, lines: readonly unknown[]) => {
    const path = join(folder, `${part}.txt`);
    writeFileSync(path, lines.join('\n'));
    return path;
  };
  const numbers = Array.from({ length: 9_000 }, (_, index) => 1_000 + ((index * 7_919) % 9_000));
  return {
    workspace,
    origin,
    key,
    processes: postgres ? [service, postgres.process] : [service],
    files: {
      ids: file('ids', numbers),
      numbers: file('numbers', numbers),
      categories: file('categories', [...Array(CATEGORIES).keys()]),
      cursors: file('cursors', await cursorsOf(origin, key)),
    },
  };
}

/** The cursors of the first pages of the list that is read. */
async function cursorsOf(origin: string, key: string): Promise<string[]> {
  const cursors: string[] = [];
  for (let cursor = ''; cursors.length < 500; ) {
    const path = `/v1/pets?limit=20&status=available${cursor && `&cursor=${cursor}`}`;
    const link = (await fetch(origin + path, { headers: bearer(key) })).headers.get('link');
    const next = /cursor=([^&>]+)/.exec(link ?? '')?.[1];
    if (next === undefined) break;
    cursors.push(next);
    cursor = next;
  }
  return cursors;
}

let runs = 0;

/** Processor time per request, in µs. */
async function cost(site: Site, work: Work, seconds: number): Promise<number> {
  const used = () => site.processes.reduce((sum, { pid }) => sum + processorTime(pid), 0);
  runs += 1;
  const before = used();
  const requests = await work(site, seconds, runs);
  return (used() - before) / requests;
}

/** The middle of the ratios, without the two most extreme rounds. */
const rangeOf = (ratios: readonly number[]): string => {
  const sorted = [...ratios].sort((a, b) => a - b);
  const inner = sorted.length > 4 ? sorted.slice(1, -1) : sorted;
  return `${inner[0]?.toFixed(2)}–${inner.at(-1)?.toFixed(2)}`;
};

const USAGE = `usage: npm run compare-cost -- A B [--engine sqlite|postgres] [--rounds 10] [--seconds 2] [--only WORKS] [--animals 100000]
A and B are two folders with a checkout each, in which npm ci was run. WORKS: ${Object.keys(WORKS).join(',')}`;

function readOptions(args: string[]) {
  const options = {
    engine: { type: 'string', default: ENGINES.join() },
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: Object.keys(WORKS).join() },
    animals: { type: 'string', default: '100000' },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const count = (name: 'rounds' | 'seconds' | 'animals') => {
      if (!/^[1-9]\d{0,6}$/.test(values[name])) throw new Error(`--${name} must be a number.`);
      return Number(values[name]);
    };
    const works = values.only.split(',');
    const engines = ENGINES.filter((engine) => values.engine.split(',').includes(engine));
    const unknown = works.find((work) => WORKS[work] === undefined);
    if (unknown !== undefined) throw new Error(`${unknown} is none of the works.`);
    if (engines.length === 0 || positionals.length !== 2) throw new Error('Give two checkouts.');
    const checkouts = positionals.map((path) => resolve(path));
    const missing = checkouts.find((path) => !existsSync(join(path, 'node_modules/.bin/bun')));
    if (missing !== undefined) throw new Error(`Run npm ci in ${missing} first.`);
    const [rounds, seconds, animals] = [count('rounds'), count('seconds'), count('animals')];
    return { checkouts, engines, works, rounds, seconds, animals };
  } catch (error) {
    throw new BadFlag(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

type Options = ReturnType<typeof readOptions>;

/** The row of a work: medians, the median of the ratios, and their range. */
async function compareWork(
  [a, b]: readonly [Site, Site],
  name: string,
  { rounds, seconds }: Options,
): Promise<string[]> {
  const costOf = (site: Site) => cost(site, WORKS[name] as Work, seconds);
  const costs = { a: [] as number[], b: [] as number[] };
  // Warms both up.
  await costOf(a);
  await costOf(b);
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) costs.a.push(await costOf(a));
    costs.b.push(await costOf(b));
    if (round % 2 === 1) costs.a.push(await costOf(a));
  }
  const ratios = costs.b.map((after, round) => after / (costs.a[round] ?? Number.NaN));
  const median = (values: readonly number[], digits: number) =>
    spreadOf(values).median.toFixed(digits);
  return [name, median(costs.a, 1), median(costs.b, 1), median(ratios, 3), rangeOf(ratios)];
}

async function compare(options: Options, engine: Engine): Promise<void> {
  const { checkouts, works, rounds, seconds, animals } = options;
  await withWorkspace(async (workspace) => {
    const rows = join(workspace.folder('rows'), 'animals.ndjson');
    writeRows(rows, animals);
    const postgres = engine === 'postgres' ? await startPostgres(workspace) : undefined;
    const start = (checkout = '', name: string) =>
      startSite(workspace, { checkout, name, engine }, rows, postgres);
    const sites = [await start(checkouts[0], 'a'), await start(checkouts[1], 'b')] as const;
    const table = [[engine, 'A µs', 'B µs', 'B / A', 'range']];
    for (const name of works) table.push(await compareWork(sites, name, options));
    console.log(`${rounds} paired rounds of ${seconds} s, ${animals} animals`);
    console.log(renderTable(table));
  });
}

try {
  const options = readOptions(process.argv.slice(2));
  requireWrk();
  requireProcessorTime();
  for (const engine of options.engines) await compare(options, engine);
} catch (error) {
  const isExpected = error instanceof BadFlag || error instanceof BenchFailed;
  console.error(isExpected ? `compare-cost: ${error.message}` : error);
  process.exitCode = error instanceof BadFlag ? 2 : 1;
}
