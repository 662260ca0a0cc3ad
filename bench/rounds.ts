import { truncateSync } from 'node:fs';
import type { Place } from './place.ts';
import type { RunningServer, Sample } from './server.ts';
import type { WorkName } from './work-names.ts';
import { WORKS } from './works.ts';

export interface Timing {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** The samples of one work: for each server one of every round. */
export type Samples = ReadonlyMap<RunningServer, readonly Sample[]>;

let runs = 0;

/**
 * Measures one work in rounds. In each round every server has its turn, so that what drifts on the
 * machine meets all of them alike; each round begins with another server.
 */
export async function measureInRounds(
  place: Place,
  name: WorkName,
  servers: readonly RunningServer[],
  { rounds, seconds, warmUpSeconds }: Timing,
): Promise<Samples> {
  const able = servers.filter(({ entry }) => entry.works.includes(name));
  const samples = new Map<RunningServer, Sample[]>(able.map((server) => [server, []]));
  const measure = (server: RunningServer, seconds: number): Promise<Sample> => {
    runs += 1;
    const measureOne = server.entry.measure ?? WORKS[name].measure;
    return measureOne({ place, server, seconds, number: runs });
  };
  for (const server of able) await measure(server, warmUpSeconds);
  for (let round = 0; round < rounds; round += 1) {
    const first = round % able.length;
    for (const server of [...able.slice(first), ...able.slice(0, first)]) {
      samples.get(server)?.push(await measure(server, seconds));
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${name}: round ${round + 1} of ${rounds} `);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  // Ours writes gigabytes of them, which nobody reads.
  for (const server of able) truncateSync(server.process.logFile);
  return samples;
}
