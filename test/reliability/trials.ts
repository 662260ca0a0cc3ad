import { BAD_INPUT } from './bad-input.ts';
import { FAILING_CALLS_METHOD } from './calls/round.ts';
import { DATABASE_METHOD, DATABASE_TRIALS } from './database.ts';
import { FAILING_CALLS } from './failing-calls.ts';
import { FEED_TRIALS } from './feed.ts';
import { FUZZ_TRIALS } from './fuzz.ts';
import { KILLED_COMMANDS, KILLED_COMMANDS_METHOD } from './kill-commands.ts';
import { KILL_METHOD, KILLS } from './kills.ts';
import { POWER_LOSS_METHOD } from './power/plan.ts';
import { POWER_LOSS_TRIALS } from './power-loss.ts';
import type { Trial, TrialGroup } from './trial.ts';

/** All trials, in the order of the page. */
export const GROUPS: readonly TrialGroup[] = [
  { title: 'Kills of the service', method: KILL_METHOD, trials: KILLS },
  { title: 'Kills of commands', method: KILLED_COMMANDS_METHOD, trials: KILLED_COMMANDS },
  { title: 'Power failures', method: POWER_LOSS_METHOD, trials: POWER_LOSS_TRIALS },
  {
    title: 'Failures of PostgreSQL and of its network',
    method: DATABASE_METHOD,
    trials: DATABASE_TRIALS,
  },
  { title: 'System calls that fail', method: FAILING_CALLS_METHOD, trials: FAILING_CALLS },
  { title: 'Events', trials: FEED_TRIALS },
  { title: 'Bad input', trials: { 'bad-input': BAD_INPUT, ...FUZZ_TRIALS } },
];

/** Promises without a trial, as sentences of the page. */
export const UNTRIED: readonly string[] = [
  'Load for days: memory, descriptors and files that grow.',
  'Jumps of the clock.',
  'A disk that stays full, is slow or becomes read-only (only single calls fail), and a file on a network mount.',
  'Networks that are cut between the hosts of `deploy/high-availability`. A drill kills and stops the hosts.',
  'Power failures of PostgreSQL, which is only killed, and disks that lose what they reported as synced.',
  'The SDK and the page of the staff beside these failures. `npm test` tries single ones.',
];

/** All trials by name. */
export const TRIALS: Readonly<Record<string, Trial>> = Object.assign(
  {},
  ...GROUPS.map(({ trials }) => trials),
);
