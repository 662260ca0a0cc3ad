import type { Options } from '../options.ts';
import { oursOn } from '../ours.ts';
import { machine, resultOf, type ServerResult, toJson, writeResult } from '../results.ts';
import { measureInRounds } from '../rounds.ts';
import type { RunningServer } from '../server.ts';
import { milliseconds, perSecond, renderTable } from '../table.ts';
import type { WorkloadName } from '../workload-names.ts';
import { WORKLOADS } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';
import { startOnCopy } from './catalogue.ts';

const GROWTH_WORKLOADS: readonly WorkloadName[] = ['cold-list', 'one-animal', 'create-32'];
const SIZES = [1_000, 100_000];

/** Measures our server on small and large catalogues. */
export async function growth(workspace: Workspace, options: Options): Promise<void> {
  const { largest, rounds, seconds } = options;
  const servers: RunningServer[] = [];
  for (const count of [...SIZES.filter((size) => size < largest), largest]) {
    servers.push(await startOnCatalogue(workspace, count));
  }
  const works = [];
  for (const workload of GROWTH_WORKLOADS) {
    const { title } = WORKLOADS[workload];
    const samples = await measureInRounds(workspace, WORKLOADS[workload], servers, options);
    const { servers: results } = resultOf(workload, title, samples);
    console.log(renderGrowth(title, results));
    works.push({ work: workload, factors: factorsOf(results), servers: results });
  }
  const date = new Date().toISOString();
  const json = toJson({ date, machine: machine(), rounds, seconds, works });
  console.log(`Written: ${writeResult('growth.json', json)}.`);
}

function startOnCatalogue(workspace: Workspace, count: number): Promise<RunningServer> {
  const name = `ours-${count}`;
  return startOnCopy(workspace, count, name, (database) =>
    oursOn(database, name, `${count.toLocaleString('en')} animals`),
  );
}

/** The latency of the slowest size divided by that of the fastest. */
function factorsOf(results: readonly ServerResult[]): { median: number; p99: number } {
  const factor = (figure: 'p50Ms' | 'p99Ms'): number => {
    const medians = results.map((result) => result[figure].median);
    return Math.max(...medians) / Math.min(...medians);
  };
  return { median: factor('p50Ms'), p99: factor('p99Ms') };
}

function renderGrowth(title: string, results: readonly ServerResult[]): string {
  const rows = results.map(({ title, requestsPerSecond, p50Ms, p99Ms }) => [
    title,
    perSecond(requestsPerSecond.median),
    milliseconds(p50Ms.median),
    milliseconds(p99Ms.median),
  ]);
  const { median, p99 } = factorsOf(results);
  const table = renderTable([
    ['', 'requests/s', 'p50 ms', 'p99 ms'],
    ...rows,
    ['slowest/fastest', '', median.toFixed(2), p99.toFixed(2)],
  ]);
  return `${title}\n${table}\n`;
}
