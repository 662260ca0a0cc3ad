import { renderChart } from './chart.ts';
import type { Options } from './options.ts';
import { record } from './recorded.ts';
import { machine, resultOf, toJson, type WorkloadResult, writeResult } from './results.ts';
import { measureInRounds } from './rounds.ts';
import { startServers } from './start-servers.ts';
import type { Spread } from './statistics.ts';
import { measureSyncs } from './sync-time.ts';
import { renderWorkload } from './table.ts';
import { WORKLOADS } from './workloads.ts';
import type { Workspace } from './workspace.ts';

/** Measures workloads on our server and the others. Prints the results and writes them to files. */
export async function measureWorkloads(workspace: Workspace, options: Options): Promise<void> {
  const { workloads } = options;
  const syncMs = measureSyncs(workspace);
  console.log(`A sync of 4 KiB takes ${syncMs.median.toFixed(2)} ms.\n`);
  const servers = await startServers(workspace, options);
  const results: WorkloadResult[] = [];
  for (const workload of workloads) {
    const capable = servers.filter(({ entry }) => entry.workloads.includes(workload));
    const samples = await measureInRounds(workspace, WORKLOADS[workload], capable, options);
    const result = resultOf(workload, WORKLOADS[workload].title, samples);
    console.log(renderWorkload(result));
    results.push(result);
  }
  report(results, syncMs, options);
}

function report(
  results: readonly WorkloadResult[],
  syncMs: Spread,
  { name, rounds, seconds, ...options }: Options,
) {
  const date = new Date().toISOString();
  const json = toJson({ date, machine: machine(), syncMs, rounds, seconds, works: results });
  const files = [
    writeResult(`${name}.json`, json),
    writeResult(`${name}.svg`, renderChart(results)),
  ];
  console.log(`Written: ${files.join(', ')}.`);
  if (options.record) record(results);
}
