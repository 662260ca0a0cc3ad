import { nameFault as faultOf } from '../src/name-problem.ts';
import { TEXTS } from './texts.ts';

/** What is wrong with a name, by the rules of the service. */
export function nameFault(name: string): string | undefined {
  const fault = faultOf(name);
  return fault && TEXTS.common.nameFaults[fault];
}
