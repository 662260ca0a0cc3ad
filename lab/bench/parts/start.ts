import { join } from 'node:path';
import type { Options } from '../options.ts';
import { oursOn, serveWithoutMetrics, startOursOn } from '../ours.ts';
import { freePort, startProcess, waitUntilReady } from '../processes.ts';
import { machine, toJson, writeResult } from '../results.ts';
import { bearer } from '../server.ts';
import { spreadOf } from '../statistics.ts';
import type { Workspace } from '../workspace.ts';
import { copyCatalogue } from './catalogue.ts';

const PAUSE_MS = 1;

/** Measures the time from the start of the process to the first response, on the largest catalogue. */
export async function start(workspace: Workspace, { largest, rounds }: Options): Promise<void> {
  const folder = workspace.folder('start');
  const database = await copyCatalogue(workspace, largest, join(folder, 'animals.db'));
  const entry = oursOn(database);
  const rows = { path: '', count: 1_000 };
  const { server, key } = await startOursOn(workspace, database, entry, rows);
  const { hotList } = server.paths;
  await server.process.stop();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const port = await freePort();
    const launch = serveWithoutMetrics(database, port);
    const url = `http://127.0.0.1:${port}${hotList}`;
    const startedAt = performance.now();
    const process = startProcess(workspace, launch, join(folder, 'server.log'));
    await waitUntilReady(process, url, bearer(key), PAUSE_MS);
    times.push(performance.now() - startedAt);
    await process.stop();
  }
  const milliseconds = spreadOf(times);
  const { median, lowest, highest } = milliseconds;
  console.log(
    `Start to first response on ${largest.toLocaleString('en')} animals: ${median.toFixed(0)} ms ` +
      `(${lowest.toFixed(0)}–${highest.toFixed(0)}, ${rounds} starts).`,
  );
  const date = new Date().toISOString();
  const json = toJson({ date, machine: machine(), animals: largest, starts: rounds, milliseconds });
  console.log(`Written: ${writeResult('start.json', json)}.`);
}
