import { availableParallelism } from 'node:os';
import { renderChart } from '../chart.ts';
import type { Options } from '../options.ts';
import { oursOn } from '../ours.ts';
import { oursOnPostgresAs } from '../ours-on-postgres.ts';
import { startPostgres } from '../postgres.ts';
import { requireProcessorTime } from '../processor-time.ts';
import { machine, resultOf, toJson, type WorkloadResult, writeResult } from '../results.ts';
import { measureInRounds, type Samples } from '../rounds.ts';
import { ANIMALS, rowsFile } from '../rows.ts';
import { type RunningServer, startServer, type Workload } from '../server.ts';
import { ratioOf, type Spread } from '../statistics.ts';
import { renderWorkload } from '../table.ts';
import { coldList, shareOfCreations, WORKLOADS } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';
import { startOnCopy } from './catalogue.ts';
import { crossover } from './crossover.ts';

const WORKERS = [1, 2, 4];
/** Few connections are common; many let each worker handle requests in batches. */
const CONNECTIONS = [8, 32];
const SHARES = [0, 1, 5, 10, 25, 50, 100];

/** Measures several workers: reads, creations, and mixes of both on SQLite and PostgreSQL. */
export async function workers(workspace: Workspace, options: Options): Promise<void> {
  requireProcessorTime();
  const onSqlite: RunningServer[] = [];
  for (const count of WORKERS) onSqlite.push(await startOnSqlite(workspace, count));
  const scaled: object[] = [];
  for (const workload of [...readWorkloads(), WORKLOADS['create-32']]) {
    const samples = await measureInRounds(workspace, workload, onSqlite, options);
    const result = resultOf(workload.title, workload.title, samples);
    const gains = gainsOf(samples);
    console.log(renderWorkload(result));
    console.log(`${gains.map(renderGain).join('\n')}\n`);
    scaled.push({ ...result, gains });
  }
  const [one, two, most] = onSqlite;
  await most?.process.stop();
  const servers = [one, two].filter((server) => server !== undefined);
  const mixes = await measureMixes(workspace, options, servers);
  const { rounds, seconds } = options;
  const head = { date: new Date().toISOString(), machine: machine(), rounds, seconds };
  const json = toJson({ ...head, workers: scaled, mixes, crossovers: crossoversOf(mixes) });
  const chart = renderChart(mixes, 'Requests/s by the share of creations: SQLite and PostgreSQL');
  const files = [writeResult('workers.json', json), writeResult('workers.svg', chart)];
  console.log(`Written: ${files.join(', ')}.`);
}

const readWorkloads = (): Workload[] =>
  CONNECTIONS.flatMap((connections) => [
    {
      title: `Cold list, 20 animals, ${connections} connections`,
      measure: coldList('coldList', connections),
    },
    {
      title: `Cold list, 100 animals, ${connections} connections`,
      measure: coldList('coldList100', connections),
    },
  ]);

const titleOf = (engine: string, count: number): string =>
  `${engine}, ${count} ${count === 1 ? 'worker' : 'workers'}`;

const flagsOf = (count: number): string[] => ['--workers', String(count)];

function startOnSqlite(workspace: Workspace, count: number): Promise<RunningServer> {
  const name = `sqlite-${count}`;
  return startOnCopy(workspace, ANIMALS, name, (database) =>
    oursOn(database, name, titleOf('SQLite', count), flagsOf(count)),
  );
}

/** What several workers gain, compared with one worker in the same round. */
interface Gain {
  readonly workers: number;
  /** Measured: the load generator takes its part of the processors. */
  readonly requestsPerSecond: Spread;
  /**
   * Computed from the processor time per request: the gain if each worker had a processor to itself, as far as there
   * are processors, and the load came from another machine.
   */
  readonly computed: Spread;
}

function gainsOf(samples: Samples): Gain[] {
  const [ofOne = [], ...ofMore] = [...samples.values()];
  return ofMore.map((taken, index) => {
    const workers = WORKERS[index + 1] ?? 0;
    const processors = Math.min(workers, availableParallelism());
    const rates = (list: typeof taken) => list.map(({ requestsPerSecond }) => requestsPerSecond);
    const times = (list: typeof taken) =>
      list.map(({ processorMicroseconds }) => processorMicroseconds);
    const computed = ratioOf(
      times(ofOne).map((time) => time * processors),
      times(taken),
    );
    return { workers, requestsPerSecond: ratioOf(rates(taken), rates(ofOne)), computed };
  });
}

const renderGain = ({ workers, requestsPerSecond, computed }: Gain): string =>
  `${workers} workers: ${requestsPerSecond.median.toFixed(2)} times the requests/s of one, ` +
  `${computed.median.toFixed(2)} times by processor time (${computed.lowest.toFixed(2)}–${computed.highest.toFixed(2)})`;

async function measureMixes(
  workspace: Workspace,
  options: Options,
  onSqlite: readonly RunningServer[],
): Promise<WorkloadResult[]> {
  const postgres = await startPostgres(workspace);
  const rows = await rowsFile(ANIMALS);
  const servers = [...onSqlite];
  for (const count of [1, 2]) {
    const title = titleOf('PostgreSQL', count);
    const entry = oursOnPostgresAs(`postgres-${count}`, title, flagsOf(count));
    servers.push(await startServer(workspace, entry, { rows, key: '', postgres }));
  }
  const results: WorkloadResult[] = [];
  for (const percent of SHARES) {
    const title = `${percent} % creations`;
    const workload = { title, measure: shareOfCreations(percent) };
    const samples = await measureInRounds(workspace, workload, servers, options);
    const result = resultOf(`share-${percent}`, title, samples);
    console.log(renderWorkload(result));
    results.push(result);
  }
  return results;
}

/** From which share of creations on PostgreSQL is better, in requests/s and in the p99. */
function crossoversOf(mixes: readonly WorkloadResult[]) {
  const from = (figure: 'requestsPerSecond' | 'p99Ms') => {
    const sign = figure === 'p99Ms' ? -1 : 1;
    const points = mixes.map(({ servers }, index) => {
      const of = (engine: string): number[] =>
        servers
          .filter(({ name }) => name.startsWith(engine))
          .map((server) => sign * server[figure].median);
      return { percent: SHARES[index] ?? 0, sqlite: of('sqlite'), postgres: of('postgres') };
    });
    return crossover(points);
  };
  const found = { requestsPerSecond: from('requestsPerSecond'), p99: from('p99Ms') };
  for (const [figure, percent] of Object.entries(found)) {
    const where = percent === undefined ? 'at no measured share' : `from ${percent} % creations on`;
    console.log(`PostgreSQL is at least as good ${where} (${figure}).`);
  }
  return found;
}
