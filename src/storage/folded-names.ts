import type { Int64 } from '../int64.ts';
import type { Fault } from './maintenance.ts';

/** The name of an animal, and what is stored as its folded name. */
export interface Names {
  readonly id: Int64;
  readonly name: string;
  readonly folded: string;
}

/** The fault of the animals with a wrong folded name: another program has written them. None without ids. */
export function wrongFold(ids: readonly Int64[]): Fault[] {
  const [first] = ids;
  if (first === undefined) return [];
  const subject =
    ids.length === 1
      ? 'the folded name of 1 animal is'
      : `the folded names of ${ids.length} animals are`;
  return [{ kind: 'names', message: `${subject} wrong (the first is ${first})` }];
}
