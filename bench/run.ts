/** Measures the service: `npm run bench -- --help` tells how. */
import { BadFlag, BenchFailed } from './failure.ts';
import { measureWorks } from './measure-works.ts';
import { type Options, type PartName, readOptions } from './options.ts';
import { growth } from './parts/growth.ts';
import { importing } from './parts/importing.ts';
import { memory } from './parts/memory.ts';
import { start } from './parts/start.ts';
import { type Place, withPlace } from './place.ts';
import { requireRecorded } from './recorded.ts';
import { SERVERS } from './servers.ts';
import { requireWrk } from './wrk.ts';

const PARTS: Record<PartName, (place: Place, options: Options) => Promise<void>> = {
  growth,
  start,
  memory,
  import: importing,
};

async function run(options: Options): Promise<void> {
  requireWrk();
  if (options.check) requireRecorded();
  if (options.works.length > 0) await withPlace((place) => measureWorks(place, options));
  for (const part of options.parts) {
    await withPlace((place) => PARTS[part](place, options));
  }
}

try {
  const others = SERVERS.filter(({ kind }) => kind !== 'ours').map(({ name }) => name);
  const options = readOptions(process.argv.slice(2), others);
  if (options !== undefined) await run(options);
} catch (error) {
  const isExpected = error instanceof BadFlag || error instanceof BenchFailed;
  console.error(isExpected ? `bench: ${error.message}` : error);
  process.exitCode = error instanceof BadFlag ? 2 : 1;
}
