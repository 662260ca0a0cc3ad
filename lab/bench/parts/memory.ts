import { truncateSync } from 'node:fs';
import type { Options } from '../options.ts';
import { startOurs } from '../ours.ts';
import { runOrFail } from '../processes.ts';
import { machine, toJson, writeResult } from '../results.ts';
import { ANIMALS, rowsFile } from '../rows.ts';
import { WORKLOADS } from '../workloads.ts';
import type { Workspace } from '../workspace.ts';

const MIB_IN_KIB = 1024;
/** The mixed workload runs for half of each minute with creations, and for half without. */
const HALF_MINUTE_SECONDS = 30;

/** Measures resident memory after each minute of load, to find leaks. */
export async function memory(workspace: Workspace, { minutes }: Options): Promise<void> {
  const { server } = await startOurs(workspace, await rowsFile(ANIMALS));
  const mebibytes: number[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    await WORKLOADS.mixed.measure({
      workspace,
      server,
      seconds: HALF_MINUTE_SECONDS,
      number: minute,
    });
    mebibytes.push(await residentMebibytes(workspace, server.process.pid));
    console.log(`After ${minute} min: ${mebibytes.at(-1)?.toFixed(1)} MiB resident.`);
    // The log would grow to many gigabytes.
    truncateSync(server.process.logFile);
  }
  const factor = (mebibytes.at(-1) ?? 0) / (mebibytes[0] ?? 1);
  console.log(`After ${minutes} min: ${factor.toFixed(2)} times the memory after 1 min.`);
  const json = toJson({ date: new Date().toISOString(), machine: machine(), factor, mebibytes });
  console.log(`Written: ${writeResult('memory.json', json)}.`);
}

/** Resident memory of a process. */
export async function residentMebibytes(workspace: Workspace, pid: number): Promise<number> {
  const kibibytes = await runOrFail(workspace, {
    command: ['ps', '-o', 'rss=', '-p', String(pid)],
  });
  return Number(kibibytes) / MIB_IN_KIB;
}
