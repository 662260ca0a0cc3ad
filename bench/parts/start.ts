import { join } from 'node:path';
import type { Options } from '../options.ts';
import { oursOn, startOursOn } from '../ours.ts';
import type { Place } from '../place.ts';
import { freePort, startProcess, untilAnswered } from '../processes.ts';
import { machine, toJson, writeResult } from '../results.ts';
import { bearer } from '../server.ts';
import { spreadOf } from '../statistics.ts';
import { copyCatalogue } from './catalogue.ts';

const PAUSE_MS = 1;

/** How long it takes from the start of the process to the first answer, on the largest catalogue. */
export async function start(place: Place, { largest, rounds }: Options): Promise<void> {
  const folder = place.folder('start');
  const database = await copyCatalogue(place, largest, join(folder, 'animals.db'));
  const entry = oursOn(database);
  const rows = { path: '', count: 1_000 };
  const { server, key } = await startOursOn(place, database, entry, rows);
  const { hotList } = server.paths;
  await server.process.stop();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const port = await freePort();
    const launch = await entry.prepare({ place, folder, port, rows, key });
    const url = `http://127.0.0.1:${port}${hotList}`;
    const begun = performance.now();
    const process = startProcess(place, launch, join(folder, 'server.log'));
    await untilAnswered(process, url, bearer(key), PAUSE_MS);
    times.push(performance.now() - begun);
    await process.stop();
  }
  const milliseconds = spreadOf(times);
  const { median, lowest, highest } = milliseconds;
  console.log(
    `Start to first answer on ${largest.toLocaleString('en')} animals: ${median.toFixed(0)} ms ` +
      `(${lowest.toFixed(0)}–${highest.toFixed(0)}, ${rounds} starts).`,
  );
  const date = new Date().toISOString();
  const json = toJson({ date, machine: machine(), animals: largest, starts: rounds, milliseconds });
  console.log(`Written: ${writeResult('start.json', json)}.`);
}
