import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Options } from '../options.ts';
import { requireProcessorTime } from '../processor-time.ts';
import { machine, resultOf, toJson, type WorkloadResult, writeResult } from '../results.ts';
import { measureInRounds } from '../rounds.ts';
import type { RowsFile } from '../rows.ts';
import type { RunningServer, Workload } from '../server.ts';
import { microseconds, milliseconds, renderMarkdown } from '../table.ts';
import { create, load, WORKLOADS } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';
import { startOnBoth } from './catalogue.ts';
import { type BytesPerAnimal, bytesPerAnimal } from './disk-sizes.ts';
import { residentMebibytes } from './memory.ts';
import { checkPlan, renderPlanCheck } from './plan-check.ts';

const SMALL = 100_000;
const LARGE = 1_000_000;
const CONNECTIONS = 32;
const DATABASE = 'capacity';

/** Measures what the planning of capacity needs, on both engines: time per request, memory, disk, connections. */
export async function capacity(workspace: Workspace, options: Options): Promise<void> {
  requireProcessorTime();
  const animals = Math.min(options.largest, LARGE);
  const {
    onSqlite,
    onPostgres,
    postgres: server,
    rows,
  } = await startOnBoth(workspace, animals, DATABASE);
  const servers = [onSqlite, onPostgres];
  const idle = await memoryOf(workspace, servers);
  const operations: WorkloadResult[] = [];
  for (const workload of operationsOf(availableIds(workspace, rows))) {
    const samples = await measureInRounds(workspace, workload, servers, options);
    operations.push(resultOf(workload.title, workload.title, samples));
  }
  const residentMebibytes = { idle, afterLoad: await memoryOf(workspace, servers) };
  const connections = await connectionsOf(server.urlOf(DATABASE));
  const check = await checkPlan(
    { workspace, postgres: server, rows, first: onPostgres },
    operations,
    options,
  );
  for (const { process } of servers) await process.stop();
  const bytes = await bytesPerAnimal(workspace, server, [SMALL, Math.max(animals, 2 * SMALL)]);
  const { rounds, seconds } = options;
  const head = { date: new Date().toISOString(), machine: machine(), animals, rounds, seconds };
  const figures = { operations, residentMebibytes, bytesPerAnimal: bytes, connections, check };
  const text = [
    renderOperations(operations),
    renderPlanCheck(check),
    renderMemory(residentMebibytes),
    renderBytes(bytes),
    `Connections to PostgreSQL per process after this load: ${connections}.`,
  ].join('\n\n');
  console.log(text);
  console.log(`Written: ${writeResult('capacity.json', toJson({ ...head, ...figures }))}.`);
}

const operationsOf = (idsFile: string): Workload[] => [
  { ...WORKLOADS['hot-list'], title: 'Hot list, 20 animals' },
  { ...WORKLOADS['cold-list'], title: 'Cold list, 20 animals' },
  { ...WORKLOADS['cold-list-100'], title: 'Cold list, 100 animals' },
  { ...WORKLOADS['one-animal'], title: 'One animal' },
  { title: 'Create, alone', measure: (run) => create(run, 1) },
  { title: 'Create, 32 at a time', measure: (run) => create(run, 32) },
  { title: 'Create, 128 at a time', measure: (run) => create(run, 128) },
  { title: 'Inventory', measure: ({ server, ...run }) => load(run, server, 'same', INVENTORY, []) },
  { title: 'Place an order, 32 at a time', measure: placeOrders(idsFile) },
];

const INVENTORY = '/v1/store/inventory';
export const ORDERS = '/v1/store/orders';

/** Each run continues where the one before has stopped, because an animal can be ordered once. */
function placeOrders(idsFile: string): Workload['measure'] {
  const nextOf = new Map<RunningServer, number>();
  return async ({ server, ...run }) => {
    const next = nextOf.get(server) ?? 0;
    const sample = await load(run, server, 'orders', '/', [ORDERS, idsFile, `${next}`]);
    // When wrk stops, each connection may have sent a request that it does not count.
    nextOf.set(server, next + sample.requests + 2 * CONNECTIONS);
    return sample;
  };
}

/** The ids of all available animals, in a file. The id of a row is its number, from 1. */
export function availableIds(workspace: Workspace, { path }: RowsFile): string {
  const ids = readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((row, index) => (row.includes('"available"') ? [index + 1] : []));
  const file = join(workspace.folder('orders'), 'ids.txt');
  writeFileSync(file, ids.join('\n'));
  return file;
}

const memoryOf = (workspace: Workspace, servers: readonly RunningServer[]): Promise<number[]> =>
  Promise.all(servers.map(({ process }) => residentMebibytes(workspace, process.pid)));

async function connectionsOf(url: string): Promise<number> {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await sql.end();
  return Number(row?.['count']);
}

function renderOperations(operations: readonly WorkloadResult[]): string {
  const head = [
    'CPU µs per request',
    'SQLite',
    'p99 ms',
    'PostgreSQL: service',
    'its server',
    'p99 ms',
  ];
  const rows = operations.map(({ title, servers: [sqlite, postgres] }) => [
    title,
    microseconds(sqlite?.processorMicroseconds.median),
    milliseconds(sqlite?.p99Ms.median ?? Number.NaN),
    microseconds(postgres?.processorMicroseconds.median),
    microseconds(postgres?.databaseMicroseconds?.median),
    milliseconds(postgres?.p99Ms.median ?? Number.NaN),
  ]);
  return renderMarkdown([head, ...rows]);
}

const renderMemory = (resident: Record<'idle' | 'afterLoad', readonly number[]>): string =>
  renderMarkdown([
    ['Resident MiB of a process', 'SQLite', 'PostgreSQL'],
    ['Idle', ...resident.idle.map((value) => value.toFixed(0))],
    ['After this load', ...resident.afterLoad.map((value) => value.toFixed(0))],
  ]);

function renderBytes(bytes: readonly BytesPerAnimal[]): string {
  const rows = bytes.map(({ engine, nameLength, table, indexes }) => [
    `${engine}, ${nameLength === 0 ? 'short names' : `names of ${nameLength} characters`}`,
    ...[table, indexes, table + indexes].map((value) => value.toFixed(0)),
  ]);
  return renderMarkdown([['Bytes per animal', 'Table', 'Indexes', 'Both'], ...rows]);
}
