import { truncateSync } from 'node:fs';
import type { Options } from '../options.ts';
import { startOurs } from '../ours.ts';
import type { Place } from '../place.ts';
import { runWell } from '../processes.ts';
import { machine, toJson, writeResult } from '../results.ts';
import { ANIMALS, rowsFile } from '../rows.ts';
import { WORKS } from '../works.ts';

const MIB_IN_KIB = 1024;
/** In each minute. The mix is run with and without its creations, half of the time each. */
const HALF_MINUTE_SECONDS = 30;

/** Whether the service holds on to memory: how much it has after a minute of load, and after each further one. */
export async function memory(place: Place, { minutes }: Options): Promise<void> {
  const { server } = await startOurs(place, await rowsFile(ANIMALS));
  const mebibytes: number[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    await WORKS.mixed.measure({ place, server, seconds: HALF_MINUTE_SECONDS, number: minute });
    mebibytes.push(await residentMebibytes(place, server.process.pid));
    console.log(`After ${minute} min: ${mebibytes.at(-1)?.toFixed(1)} MiB resident.`);
    // Nothing would be learned from a log of many gigabytes.
    truncateSync(server.process.logFile);
  }
  const factor = (mebibytes.at(-1) ?? 0) / (mebibytes[0] ?? 1);
  console.log(`After ${minutes} min ${factor.toFixed(2)} times as much as after 1 min.`);
  const json = toJson({ date: new Date().toISOString(), machine: machine(), factor, mebibytes });
  console.log(`Written: ${writeResult('memory.json', json)}.`);
}

async function residentMebibytes(place: Place, pid: number): Promise<number> {
  const kibibytes = await runWell(place, { command: ['ps', '-o', 'rss=', '-p', String(pid)] });
  return Number(kibibytes) / MIB_IN_KIB;
}
