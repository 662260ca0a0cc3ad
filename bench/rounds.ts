import { truncateSync } from 'node:fs';
import type { RunningServer, Sample } from './server.ts';
import type { WorkloadName } from './workload-names.ts';
import { WORKLOADS } from './workloads.ts';
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
  name: WorkloadName,
  servers: readonly RunningServer[],
  { rounds, seconds, warmUpSeconds }: Timing,
): Promise<Samples> {
  const capable = servers.filter(({ entry }) => entry.workloads.includes(name));
  const samples = new Map<RunningServer, Sample[]>(capable.map((server) => [server, []]));
  const measure = (server: RunningServer, seconds: number): Promise<Sample> => {
    runs += 1;
    const measureOne = server.entry.measure ?? WORKLOADS[name].measure;
    return measureOne({ workspace, server, seconds, number: runs });
  };
  for (const server of capable) await measure(server, warmUpSeconds);
  for (let round = 0; round < rounds; round += 1) {
    const first = round % capable.length;
    for (const server of [...capable.slice(first), ...capable.slice(0, first)]) {
      samples.get(server)?.push(await measure(server, seconds));
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${name}: round ${round + 1} of ${rounds} `);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  // Our server logs gigabytes.
  for (const server of capable) truncateSync(server.process.logFile);
  return samples;
}
