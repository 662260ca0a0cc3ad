import { differences } from './check-peers.ts';
import { BenchFailed } from './failure.ts';
import type { Options } from './options.ts';
import { recordResponses, startOurs } from './ours.ts';
import { startPostgres } from './postgres.ts';
import { ANIMALS, rowsFile } from './rows.ts';
import { type RunningServer, type ServerEntry, type SharedSetup, startServer } from './server.ts';
import { SERVERS } from './servers.ts';
import { POSTGRES_WORKLOADS, type WorkloadName } from './workload-names.ts';
import type { Workspace } from './workspace.ts';

/**
 * Starts our server and the named ones that have one of the workloads. Ours is first: the others get its key, and
 * the limits its responses.
 */
export async function startServers(
  workspace: Workspace,
  { against, workloads }: Pick<Options, 'against' | 'workloads'>,
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
  const unavailableReason = entry.unavailableReason?.();
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
