import { BAD_INPUT } from './bad-input.ts';
import { DATABASE_TRIALS } from './database.ts';
import { FAILING_CALLS } from './failing-calls.ts';
import { FEED_TRIALS } from './feed.ts';
import { FUZZ_TRIALS } from './fuzz.ts';
import { KILLED_COMMANDS } from './kill-commands.ts';
import { KILLS } from './kills.ts';
import { POWER_LOSS_TRIALS } from './power-loss.ts';
import type { Trial } from './trial.ts';

/** All trials by name, in the order of the page. */
export const TRIALS: Readonly<Record<string, Trial>> = {
  ...KILLS,
  ...KILLED_COMMANDS,
  ...POWER_LOSS_TRIALS,
  ...DATABASE_TRIALS,
  ...FAILING_CALLS,
  ...FEED_TRIALS,
  'bad-input': BAD_INPUT,
  ...FUZZ_TRIALS,
};
