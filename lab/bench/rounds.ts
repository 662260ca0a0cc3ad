import { truncateSync } from 'node:fs';
import type { RunningServer, Sample, Workload } from './server.ts';
import type { Workspace } from './workspace.ts';

export interface Timing {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** The samples of one workload: for each server one per round. */
export type Samples = ReadonlyMap<RunningServer, readonly Sample[]>;

let runs = 0;

/**
 * Measures one workload in rounds. Every server has a turn in each round, so that changes of the
 * machine's speed affect all servers. Each round begins with another server.
 */
export async function measureInRounds(
  workspace: Workspace,
  { title, measure: measureWithLoad }: Workload,
  servers: readonly RunningServer[],
  { rounds, seconds, warmUpSeconds }: Timing,
): Promise<Samples> {
  const samples = new Map<RunningServer, Sample[]>(servers.map((server) => [server, []]));
  const measure = (server: RunningServer, seconds: number): Promise<Sample> => {
    runs += 1;
    const measureOne = server.entry.measure ?? measureWithLoad;
    return measureOne({ workspace, server, seconds, number: runs });
  };
  for (const server of servers) await measure(server, warmUpSeconds);
  for (let round = 0; round < rounds; round += 1) {
    const first = round % servers.length;
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      samples.get(server)?.push(await measure(server, seconds));
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${title}: round ${round + 1} of ${rounds} `);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  // Our server logs gigabytes.
  for (const server of servers) truncateSync(server.process.logFile);
  return samples;
}
