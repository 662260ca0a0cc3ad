/** Any sequence of operations agrees with a model that is maps and arrays, and on all engines alike. */
import { test } from 'bun:test';
import fc from 'fast-check';
import { chosenEngine, ENGINES, type Engine } from '../support/engines.ts';
import { anySequence } from '../support/sequences.ts';
import { takeSideBySide } from '../support/side-by-side.ts';

const engine = chosenEngine();

/** A database over a network takes many times as long. */
const SEQUENCES = engine.name === 'SQLite' ? 2_000 : 200;
const SEQUENCES_SIDE_BY_SIDE = 200;

/** Replay a failure with MODEL_SEED=<the seed that was printed>. */
const seed = Number(process.env['MODEL_SEED'] ?? crypto.getRandomValues(new Int32Array(1))[0]);

const checkSequences = (numRuns: number, engines: readonly Engine[]): Promise<void> =>
  fc.assert(
    fc.asyncProperty(anySequence, (steps) => takeSideBySide(engines, steps)),
    { numRuns, seed },
  );

test(`any of ${SEQUENCES} sequences (seed ${seed}) of requests, retries, waits and keys on ${engine.name} agrees with the model`, async () => {
  await checkSequences(SEQUENCES, [engine]);
}, 300_000);

test(`any of ${SEQUENCES_SIDE_BY_SIDE} sequences (seed ${seed}) is answered alike on ${ENGINES.map(({ name }) => name).join(' and ')}, and as the model says`, async () => {
  await checkSequences(SEQUENCES_SIDE_BY_SIDE, ENGINES);
}, 300_000);
