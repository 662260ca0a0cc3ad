/** Runs one trial, and prints its outcome as JSON: `bun lab/reliability/run-trial.ts NAME SEED`. */
import { randomFrom } from '../../test/support/random.ts';
import { TRIALS } from './trials.ts';

const [, , name = '', seed] = process.argv;
const trial = TRIALS[name];
if (trial === undefined) throw new Error(`${name} is not a trial`);
// Two trials of one kind do not repeat each other.
const seedOfTrial = Number(seed) ^ Bun.hash.crc32(name);
const outcome = await trial.run({
  random: randomFrom(seedOfTrial),
  report: (text) => console.error(`${name}: ${text}`),
});
await Bun.write(Bun.stdout, JSON.stringify(outcome));
// Servers that trials share stay open. Their guard removes them.
process.exit();
