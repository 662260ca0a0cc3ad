import type { Int64 } from '../int64.ts';
import { IdTaken } from '../transfer/catalogue-transfer.ts';

export const assignedBefore = (id: Int64, highestId: Int64): string =>
  `the id ${id} may have been assigned before: only ids above ${highestId} can be kept`;

export const occursTwice = (id: Int64): string => `the id ${id} occurs twice in the file`;

export const addedInBetween = (): IdTaken =>
  new IdTaken('animals were added to the catalogue during the import: import the file again');
