import type { MaybePromise } from '../../../maybe-promise.ts';
import type { ReaderName } from '../../database.ts';

/** Work for a group of items, which is faster than for each alone. Returns their results in the same order. */
type GroupWork = (items: readonly never[]) => readonly unknown[];

/** A write that waits for its batch. */
export interface PendingWrite {
  readonly work: () => MaybePromise<unknown>;
  /** Undefined if the write shares nothing but the transaction of its batch. */
  readonly inGroup: { readonly groupWork: GroupWork; readonly item: unknown } | undefined;
  /** The readers whose results the write changes, if no others can be affected. */
  readonly onlyChanges: readonly ReaderName[] | undefined;
  /** The number of rows that it changes, as far as the write says so. */
  readonly rows: number;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** Limits how long a write waits for the others of its batch, and a read for the batch. */
export const MAX_WRITES = 512;

/** One write of 1,000 rows fits in, with the small ones beside it. The next of 1,000 waits, so that others come in between. */
const MAX_ROWS = 1_500;

/** Takes the writes of the next batch, in their order, at least one. */
export function takeBatch(pending: PendingWrite[]): PendingWrite[] {
  let rows = 0;
  const end = pending.findIndex((write, index) => {
    rows += write.rows;
    return index > 0 && rows > MAX_ROWS;
  });
  return pending.splice(0, Math.min(end === -1 ? MAX_WRITES : end, MAX_WRITES));
}

export type WriteResult<T = unknown> = { readonly value: T } | { readonly error: unknown };

/** The readers whose results a batch changes. Undefined if one of its writes may change any. */
export function changedBy(batch: readonly PendingWrite[]): readonly ReaderName[] | undefined {
  const changed = new Set<readonly ReaderName[]>();
  for (const { onlyChanges } of batch) {
    if (onlyChanges === undefined) return undefined;
    changed.add(onlyChanges);
  }
  return [...changed].flat();
}

/** Divides a batch into groups. A write that shares no work is a group of one. */
export function groupsOf(batch: readonly PendingWrite[]): PendingWrite[][] {
  const groups: PendingWrite[][] = [];
  let last: GroupWork | undefined;
  for (const write of batch) {
    const work = write.inGroup?.groupWork;
    if (work === undefined || work !== last) groups.push([write]);
    else groups.at(-1)?.push(write);
    last = work;
  }
  return groups;
}

/** Tells each write of a batch its result. */
export function settle(batch: readonly PendingWrite[], results: readonly WriteResult[]): void {
  batch.forEach((write, index) => {
    const result = results[index] as WriteResult;
    if ('error' in result) write.reject(result.error);
    else write.resolve(result.value as never);
  });
}
