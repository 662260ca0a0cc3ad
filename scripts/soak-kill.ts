/**
 * Kills the service under load repeatedly, and fails if an acknowledged write was lost.
 * `bun scripts/soak-kill.ts [rounds]`; KILL_SEED repeats a run.
 */
import { killRound, randomFrom } from '../test/process/kill-round.ts';

const rounds = Number(process.argv[2] ?? 100);
const seed = Number(process.env['KILL_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0]);
const random = randomFrom(seed);
let acknowledged = 0;
let lost = 0;
for (let round = 1; round <= rounds; round += 1) {
  const outcome = await killRound(random);
  acknowledged += outcome.acknowledged;
  lost += outcome.lost.length;
  const isPassed =
    outcome.lost.length + outcome.duplicateIds.length + outcome.refused === 0 &&
    outcome.integrity === 'ok';
  if (!isPassed) {
    console.error(`round ${round}: ${JSON.stringify(outcome)}`);
    process.exitCode = 1;
  }
}
console.log(`rounds ${rounds}, acknowledged ${acknowledged}, lost ${lost} (KILL_SEED=${seed})`);
