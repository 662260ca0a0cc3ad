/** The service agrees with a model of maps and arrays, and all engines agree with each other. */
import { test } from 'bun:test';
import fc from 'fast-check';
import { chosenEngine, ENGINES, sequencesFor } from '../../support/engines.ts';
import { anySequence } from './sequences.ts';
import { takeSideBySide } from './side-by-side.ts';

const engine = chosenEngine();

/** With TEST_ENGINE=postgres, SQLite runs the same sequences. */
const engines = engine.name === 'SQLite' ? [engine] : ENGINES;

const sequences = sequencesFor(25, 6);

/** Replay a failure with MODEL_SEED=<the seed that was printed>. */
const seed = Number(process.env['MODEL_SEED'] ?? crypto.getRandomValues(new Int32Array(1))[0]);

const names = engines.map(({ name }) => name).join(' and ');

test(
  `any of ${sequences} sequences (seed ${seed}) of requests, retries, waits and keys gets the same responses from ${names} and the model`,
  () =>
    fc.assert(
      fc.asyncProperty(anySequence, (steps) => takeSideBySide(engines, steps)),
      { numRuns: sequences, seed },
    ),
  300_000,
);
