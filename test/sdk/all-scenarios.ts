/** The entry of the scenarios on each platform. */
import type * as Sdk from '../../sdk/src/index.ts';
import { FAILURE_SCENARIOS } from './failure-scenarios.ts';
import { FEATURE_SCENARIOS } from './feature-scenarios.ts';
import { LIST_SCENARIOS } from './list-scenarios.ts';
import { type Environment, type Outcome, runScenarios } from './scenarios.ts';
import { USAGE_SCENARIOS } from './usage-scenarios.ts';

export const runAllScenarios = (sdk: typeof Sdk, environment: Environment): Promise<Outcome[]> =>
  runScenarios(sdk, environment, {
    ...USAGE_SCENARIOS,
    ...LIST_SCENARIOS,
    ...FEATURE_SCENARIOS,
    ...FAILURE_SCENARIOS,
  });
