import { renderChart } from './chart.ts';
import { differences } from './check-peers.ts';
import { BenchFailed } from './failure.ts';
import { install } from './install.ts';
import type { Options } from './options.ts';
import { recordResponses, startOurs } from './ours.ts';
import { startPostgres } from './postgres.ts';
import { record, regressions } from './recorded.ts';
import { machine, resultOf, toJson, type WorkloadResult, writeResult } from './results.ts';
import { measureInRounds } from './rounds.ts';
import { ANIMALS, rowsFile } from './rows.ts';
import { type RunningServer, type ServerEntry, type SharedSetup, startServer } from './server.ts';
import { SERVERS } from './servers.ts';
import { renderWorkload } from './table.ts';
import { POSTGRES_WORKLOADS, type WorkloadName } from './workload-names.ts';
import { WORKLOADS } from './workloads.ts';
import type { Workspace } from './workspace.ts';

/** Measures workloads on our server and the others. Prints the results and writes them to files. */
export async function measureWorkloads(workspace: Workspace, options: Options): Promise<void> {
  const { workloads } = options;
  const servers = await startAll(workspace, options);
  const results: WorkloadResult[] = [];
  for (const workload of workloads) {
    const capable = servers.filter(({ entry }) => entry.workloads.includes(workload));
    const samples = await measureInRounds(workspace, WORKLOADS[workload], capable, options);
    const result = resultOf(workload, WORKLOADS[workload].title, samples);
    console.log(renderWorkload(result));
    results.push(result);
  }
  report(results, options);
}

function report(
  results: readonly WorkloadResult[],
  { name, rounds, seconds, ...options }: Options,
) {
  const date = new Date().toISOString();
  const json = toJson({ date, machine: machine(), rounds, seconds, works: results });
  const files = [
    writeResult(`${name}.json`, json),
    writeResult(`${name}.svg`, renderChart(results)),
  ];
  console.log(`Written: ${files.join(', ')}.`);
  if (options.record) record(results);
  const found = options.check ? regressions(results) : [];
  if (found.length > 0) throw new BenchFailed(found.join('\nbench: '));
}

/** Starts our server first: the others get its key, and the limits its response. */
async function startAll(
  workspace: Workspace,
  { against, workloads }: Options,
): Promise<RunningServer[]> {
  const rows = await rowsFile(ANIMALS);
  const { server: ours, key } = await startOurs(workspace, rows);
  const responses = await recordResponses(ours);
  const shared = { rows, key, responses, ...(await postgresFor(workspace, workloads)) };
  const running = [ours];
  for (const entry of SERVERS) {
    const isSelected = entry.kind === 'ours' || against.includes(entry.name);
    if (!isSelected || !entry.workloads.some((workload) => workloads.includes(workload))) continue;
    const server = await startPeer(workspace, entry, ours, shared);
    if (server !== undefined) running.push(server);
  }
  return running;
}

const postgresFor = async (workspace: Workspace, workloads: readonly WorkloadName[]) =>
  workloads.some((workload) => POSTGRES_WORKLOADS.includes(workload))
    ? { postgres: await startPostgres(workspace) }
    : {};

/** Leaves out a server that cannot be installed or started, or whose responses differ, and prints the reason. */
async function startPeer(
  workspace: Workspace,
  entry: ServerEntry,
  ours: RunningServer,
  shared: SharedSetup,
): Promise<RunningServer | undefined> {
  const leaveOut = (why: string): undefined => {
    console.error(`Without ${entry.name}: ${why}`);
  };
  const unavailableReason =
    entry.unavailableReason?.() ?? (await installAll(workspace, entry.packages));
  if (unavailableReason !== undefined) return leaveOut(unavailableReason);
  try {
    const server = await startServer(workspace, entry, shared);
    const found = await differences(ours, server);
    if (found.length === 0) return server;
    await server.process.stop();
    return leaveOut(`its responses differ from ours.\n  ${found.join('\n  ')}`);
  } catch (error) {
    if (error instanceof BenchFailed) return leaveOut(error.message);
    throw error;
  }
}

async function installAll(
  workspace: Workspace,
  packages: readonly string[],
): Promise<string | undefined> {
  for (const name of packages) {
    const failure = await install(workspace, name);
    if (failure !== undefined) return failure;
  }
  return undefined;
}
