import type { Options } from '../options.ts';
import { BUN } from '../paths.ts';
import { runOrFail } from '../processes.ts';
import { machine, toJson, writeResult } from '../results.ts';
import { ANIMALS } from '../rows.ts';
import type { RunningServer } from '../server.ts';
import { ratioOf, type Spread, spreadOf } from '../statistics.ts';
import { milliseconds, perSecond, renderTable } from '../table.ts';
import { create, load } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';
import { startOnBoth } from './catalogue.ts';

/** How many animals are added in each measurement. */
const TOTAL = 50_000;
const CREATIONS = 32;
const READS_PER_SECOND = 200;
/** The animals of a request, and the connections. */
const BATCHES = [
  [1_000, 1],
  [1_000, 8],
  [100, 1],
  [100, 8],
] as const;

/** What is added while single animals are read: nothing, batches, and single creations. */
const BESIDE = [
  { title: 'nothing', size: 0, connections: 0 },
  { title: 'batches of 1,000, 1 connection', size: 1_000, connections: 1 },
  { title: 'batches of 1,000, 8 connections', size: 1_000, connections: 8 },
  { title: 'batches of 100, 1 connection', size: 100, connections: 1 },
  { title: 'creations, 32 connections', size: 1, connections: CREATIONS },
] as const;

/** The figures of one engine: one per round. */
interface Figures {
  readonly creationsPerSecond: number[];
  readonly animalsPerSecond: Record<string, number[]>;
  readonly readsP50Ms: Record<string, number[]>;
  readonly readsP99Ms: Record<string, number[]>;
}

interface Site {
  readonly workspace: Workspace;
  readonly server: RunningServer;
}

/**
 * Measures animals that are added together, on both engines: how many per second, compared with single creations in the
 * same round, and how long reads take beside them.
 */
export async function batch(workspace: Workspace, options: Options): Promise<void> {
  const { onSqlite, onPostgres } = await startOnBoth(workspace, ANIMALS, 'batch');
  const sites = [onSqlite, onPostgres].map((server) => ({ workspace, server }));
  const figures = sites.map(() => newFigures());
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const [index, site] of sites.entries()) {
      const kept = round === 0 ? newFigures() : figures[index];
      if (kept) await measureRound(site, options.seconds, round, kept);
    }
  }
  const results = sites.map(({ server }, index) => summary(server.entry.title, figures[index]));
  console.log(results.map(render).join('\n\n'));
  const { rounds, seconds } = options;
  const head = { date: new Date().toISOString(), machine: machine(), rounds, seconds };
  console.log(`Written: ${writeResult('batch.json', toJson({ ...head, engines: results }))}.`);
}

const newFigures = (): Figures => ({
  creationsPerSecond: [],
  animalsPerSecond: {},
  readsP50Ms: {},
  readsP99Ms: {},
});

async function measureRound(site: Site, seconds: number, number: number, figures: Figures) {
  const creations = await create({ ...site, seconds, number }, CREATIONS);
  figures.creationsPerSecond.push(creations.requestsPerSecond);
  for (const [size, connections] of BATCHES) {
    const added = await addAnimals(site, { size, connections, total: TOTAL });
    record(figures.animalsPerSecond, titleOf(size, connections), added.animals / added.seconds);
  }
  for (const { title, size, connections } of BESIDE) {
    // The reads begin and end while animals are added.
    const adding = addBeside(site, { size, connections, seconds: seconds + 2 }, number);
    await Bun.sleep(1_000);
    const { p50Ms, p99Ms } = await readSteadily(site, seconds, number);
    await adding;
    record(figures.readsP50Ms, title, p50Ms);
    record(figures.readsP99Ms, title, p99Ms);
  }
}

/** Single animals at a steady pace, whether the service is slow or not. */
function readSteadily({ workspace, server }: Site, seconds: number, number: number) {
  const { paths, files } = server;
  const reads = ['varied', paths.oneAnimal, files.ids, `${number}`];
  const args = [`${READS_PER_SECOND}`, ...reads];
  return load({ workspace, seconds, number }, server, 'paced', '/', args);
}

const record = (figures: Record<string, number[]>, title: string, value: number): void => {
  figures[title] ??= [];
  figures[title].push(value);
};

const titleOf = (size: number, connections: number): string =>
  `batches of ${size.toLocaleString('en')}, ${connections} connection${connections === 1 ? '' : 's'}`;

interface Adding {
  readonly size: number;
  readonly connections: number;
  readonly total?: number;
  readonly seconds?: number;
}

async function addBeside(site: Site, adding: Adding & { seconds: number }, number: number) {
  if (adding.size > 1) await addAnimals(site, adding);
  if (adding.size === 1)
    await create({ ...site, seconds: adding.seconds, number }, adding.connections);
}

/** Adds animals by a process of its own, so that reads do not wait for it. */
async function addAnimals(
  { workspace, server: { origin, key } }: Site,
  { size, connections, total = Number.MAX_SAFE_INTEGER, seconds = 600 }: Adding,
): Promise<{ animals: number; seconds: number }> {
  const args = [size, connections, total, seconds].map(String);
  const command = [BUN, 'lab/bench/clients/add-animals.ts', origin, key, ...args];
  return JSON.parse(await runOrFail(workspace, { command }));
}

function summary(engine: string, figures: Figures = newFigures()) {
  const spreads = (values: Record<string, number[]>) =>
    Object.entries(values).map(([title, all]) => ({ title, ...spreadOf(all) }));
  const [alone = []] = Object.values(figures.readsP99Ms);
  return {
    engine,
    creationsPerSecond: spreadOf(figures.creationsPerSecond),
    batches: Object.entries(figures.animalsPerSecond).map(([title, all]) => ({
      title,
      animalsPerSecond: spreadOf(all),
      secondsFor50000: spreadOf(all.map((rate) => TOTAL / rate)),
      toCreations: ratioOf(all, figures.creationsPerSecond),
    })),
    readsP50Ms: spreads(figures.readsP50Ms),
    reads: Object.entries(figures.readsP99Ms).map(([title, all]) => ({
      title,
      p99Ms: spreadOf(all),
      toAlone: ratioOf(all, alone),
    })),
  };
}

function render({
  engine,
  creationsPerSecond,
  batches,
  reads,
  readsP50Ms,
}: ReturnType<typeof summary>) {
  const range = ({ lowest, highest }: Spread, show: (value: number) => string) =>
    `${show(lowest)}–${show(highest)}`;
  const ratio = (value: number) => value.toFixed(2);
  const single = creationsPerSecond;
  const added = [
    [engine, 'animals/s', 'range', 's for 50,000', 'to creations'],
    ['creations, 32 connections', perSecond(single.median), range(single, perSecond), '', ''],
    ...batches.map(({ title, animalsPerSecond, secondsFor50000, toCreations }) => [
      title,
      perSecond(animalsPerSecond.median),
      range(animalsPerSecond, perSecond),
      secondsFor50000.median.toFixed(2),
      ratio(toCreations.median),
    ]),
  ];
  const beside = [
    [`${READS_PER_SECOND} reads/s beside`, 'p50 ms', 'p99 ms', 'range', 'to nothing'],
    ...reads.map(({ title, p99Ms, toAlone }, index) => [
      title,
      milliseconds(readsP50Ms[index]?.median ?? Number.NaN),
      milliseconds(p99Ms.median),
      range(p99Ms, milliseconds),
      ratio(toAlone.median),
    ]),
  ];
  return `${renderTable(added)}\n\n${renderTable(beside)}`;
}
