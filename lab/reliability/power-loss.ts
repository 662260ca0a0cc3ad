import { COMMAND_PLANS } from './power/command-plans.ts';
import { MIGRATION_PLAN } from './power/migration-plan.ts';
import { powerLossTrial } from './power/plan.ts';
import { RESTORE_PLAN } from './power/restore-plan.ts';
import { SERVICE_PLANS } from './power/service-plans.ts';
import type { Trial } from './trial.ts';

const PLANS = {
  ...SERVICE_PLANS,
  migration: MIGRATION_PLAN,
  ...COMMAND_PLANS,
  restore: RESTORE_PLAN,
};

/** Power failures, enumerated: what a disk may contain after one, at any moment of what the program does. */
export const POWER_LOSS_TRIALS: Readonly<Record<string, Trial>> = Object.fromEntries(
  Object.entries(PLANS).map(([name, plan]) => [`power-loss-${name}`, powerLossTrial(plan)]),
);
