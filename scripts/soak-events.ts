/**
 * The proofs of the feed of events in their long form: `bun scripts/soak-events.ts --only kills --engine postgres --rounds 100`.
 * Each proof is followed by a control, in which a client misses one event: the proof must find it. FEED_SEED repeats a run.
 */
import { parseArgs } from 'node:util';
import {
  disconnects,
  kills,
  type Proof,
  type ProofOptions,
  replay,
  streams,
  writers,
} from '../test/feed/proofs.ts';
import type { FeedEngine } from '../test/feed/served-feed.ts';
import { randomFrom } from '../test/process/kill-round.ts';

interface Soak {
  readonly prove: (options: ProofOptions) => Promise<Proof>;
  /** Kills, changes or lost connections. */
  readonly rounds: number;
  readonly seconds: number;
  readonly controlRounds: number;
}

const SOAKS: Readonly<Record<string, Soak>> = {
  kills: { prove: kills, rounds: 100, seconds: 0, controlRounds: 1 },
  writers: { prove: writers, rounds: 80_000, seconds: 0, controlRounds: 200 },
  disconnects: { prove: disconnects, rounds: 1_000, seconds: 0, controlRounds: 20 },
  streams: { prove: streams(1_000), rounds: 2_000, seconds: 600, controlRounds: 20 },
  // A day at 10 changes a second.
  replay: { prove: replay, rounds: 864_000, seconds: 0, controlRounds: 200 },
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    engine: { type: 'string', default: 'sqlite,postgres' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
  },
});
const seed = Number(
  values.seed ?? process.env['FEED_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0],
);
const LIMIT_MS = 6 * 60 * 60 * 1000;

async function soak(name: string, engine: FeedEngine): Promise<boolean> {
  const found = SOAKS[name];
  if (found === undefined) throw new Error(`${name} is not one of ${Object.keys(SOAKS)}`);
  const { prove, controlRounds } = found;
  const rounds = Number(values.rounds ?? found.rounds);
  const seconds = Number(values.seconds ?? found.seconds);
  const startMs = performance.now();
  const options = { engine, rounds, seconds, random: randomFrom(seed), limitMs: LIMIT_MS };
  const { problems, figures } = await prove(options);
  const took = Math.round((performance.now() - startMs) / 1000);
  const shown = Object.entries(figures).map(([what, value]) => `${what} ${+value.toFixed(1)}`);
  console.log(`${name} on ${engine} (${took} s): ${shown.join(', ')}, problems ${problems.length}`);
  for (const problem of problems.slice(0, 20)) console.error(`  ${problem}`);
  const control = await prove({
    ...options,
    rounds: controlRounds,
    seconds: 1,
    skips: (count) => count === 10,
  });
  const isFound = control.problems.length > 0;
  console.log(`  control: one missed event was ${isFound ? 'found' : 'NOT FOUND'}`);
  return problems.length === 0 && isFound;
}

console.log(`FEED_SEED=${seed}`);
for (const name of values.only?.split(',') ?? Object.keys(SOAKS)) {
  for (const engine of values.engine.split(',') as FeedEngine[]) {
    if (!(await soak(name, engine))) process.exitCode = 1;
  }
}

// The PostgreSQL server that proofs share stays open. Its guard removes it.
process.exit();
