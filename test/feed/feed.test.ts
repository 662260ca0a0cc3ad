/** The proofs of the feed in their short form. `npm run soak:events` has the long one. */
import { expect, test } from 'bun:test';
import { randomFrom } from '../support/random.ts';
import { disconnects, kills, type ProofOptions, replay, streams, writers } from './proofs.ts';
import type { FeedEngine } from './served-feed.ts';

/** Repeat a failed run with FEED_SEED=<the seed that was printed>. */
const seed = Number(process.env['FEED_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0]);

const optionsOf = (engine: FeedEngine, rounds: number): ProofOptions => ({
  engine,
  rounds,
  seconds: 0.5,
  random: randomFrom(seed),
  limitMs: 30_000,
});

test.each([
  ['kills', 'sqlite', kills, 1],
  ['kills', 'postgres', kills, 1],
  ['writers', 'sqlite', writers, 100],
  ['writers', 'postgres', writers, 100],
  // They do not depend on the engine.
  ['disconnects', 'sqlite', disconnects, 10],
  ['streams', 'sqlite', streams(100), 20],
  ['replay', 'sqlite', replay, 100],
] as const)('%s on %s', async (_name, engine, prove, rounds) => {
  console.log(`FEED_SEED=${seed}`);
  const { problems, trials } = await prove(optionsOf(engine, rounds));
  expect(problems).toEqual([]);
  expect(trials).toBeGreaterThan(0);
});

// `kills` and `disconnects` compare as `writers` does.
test.each([
  ['writers', 'missed', writers],
  ['writers', 'late', writers],
  ['streams', 'missed', streams(4)],
  ['replay', 'missed', replay],
] as const)('the proof %s finds one event that a client has %s', async (_name, kind, prove) => {
  const options = { ...optionsOf('sqlite', 25), fault: { kind, at: 2 } };
  expect((await prove(options)).problems).not.toEqual([]);
});
