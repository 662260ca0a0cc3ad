/**
 * Runs each fault of the database several times on a service under load, and prints the results.
 * `bun scripts/soak-faults.ts --rounds 5 --only killed-primary,black-hole`; FAULT_SEED repeats a run.
 */
import { parseArgs } from 'node:util';
import type { Outcome } from '../test/faults/round.ts';
import { ROUNDS, violations } from '../test/faults/rounds.ts';
import { randomFrom } from '../test/support/random.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' } },
});
const seed = Number(process.env['FAULT_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0]);
const names = values.only?.split(',') ?? Object.keys(ROUNDS);

const ascending = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);
const median = (numbers: readonly number[]): number =>
  ascending(numbers)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const ms = (value: number): string => `${Math.round(value)} ms`;

function summary(outcomes: readonly Outcome[]): string[] {
  const recoveries = outcomes.map(({ recoveryMs }) => recoveryMs);
  return [
    `${outcomes.length}`,
    `${sum(outcomes.map(({ acknowledged }) => acknowledged))}`,
    `${sum(outcomes.map(({ lost }) => lost.length))}`,
    `${sum(outcomes.map(({ duplicates }) => duplicates.length))}`,
    `${sum(outcomes.map(({ unanswered }) => unanswered.length))}`,
    ms(Math.max(...outcomes.map(({ longestWaitMs }) => longestWaitMs))),
    ms(median(recoveries)),
    ms(Math.max(...recoveries)),
  ];
}

const row = (cells: readonly string[]): string =>
  cells.map((cell, column) => (column === 0 ? cell.padEnd(24) : cell.padStart(14))).join('');

console.log(`FAULT_SEED=${seed}`);
const titles = ['rounds', 'acknowledged', 'lost', 'duplicates', 'unanswered', 'longest wait'];
console.log(row(['', ...titles, 'recovery', 'maximum']));
for (const name of names) {
  const round = ROUNDS[name];
  if (round === undefined) throw new Error(`${name} is not one of ${Object.keys(ROUNDS)}`);
  const random = randomFrom(seed);
  const outcomes: Outcome[] = [];
  for (let count = 1; count <= Number(values.rounds); count += 1) {
    const outcome = await round(random);
    outcomes.push(outcome);
    const violated = violations(outcome);
    if (violated.length === 0) continue;
    console.error(`${name}, round ${count}: ${violated.join('; ')}`, JSON.stringify(outcome));
    process.exitCode = 1;
  }
  console.log(row([name, ...summary(outcomes)]));
}

// The server that rounds share stays open. Its guard removes it.
process.exit();
