import {
  type Filters,
  type FilterValue,
  isByTime,
  type ListQuery,
  type Position,
  type Sort,
  TIME_FILTERS,
  type TimePosition,
} from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import { columnOf, comparingFiltersOf } from './rows.ts';
import type { AnyTable } from './tables.ts';

/** How an engine reads a list with several values of a filter, or by time. */

type Value = Int64 | string;

/** A column with the values of which it must have one. */
export interface Membership {
  readonly column: string;
  readonly values: readonly Value[];
}

/** A list by time begins and ends at these times, in milliseconds since 1970-01-01T00:00:00Z. */
interface TimeRange {
  /** Inclusive. */
  readonly from: number | undefined;
  /** Exclusive. */
  readonly before: number | undefined;
}

/** What an engine reads for a page. */
export interface ListPlan {
  /**
   * The first columns of the index that reads the page. An index reads one value of each in the order of the list, so the page is
   * merged from one part for each combination of values.
   */
  readonly leading: readonly Membership[];
  /** The other filters. The rows that the index reads are compared with them. */
  readonly others: readonly Membership[];
  /** Undefined if the list is by id. */
  readonly range: TimeRange | undefined;
  /** The position after which the page begins. */
  readonly afterId: Int64 | undefined;
  readonly afterTime: TimePosition | undefined;
}

export function planOf(
  table: AnyTable,
  { filters, sort }: ListQuery,
  after: Position | undefined,
): ListPlan {
  const [first, ...rest] = comparingFiltersOf(table).filter((name) => filters[name] !== undefined);
  const splitBy = first === undefined ? undefined : table.filters[first]?.splitBy;
  const membership = (name: string, otherwise: readonly string[] = []): Membership => {
    const value: FilterValue = filters[name] ?? otherwise;
    const values = new Set<Value>(typeof value === 'object' ? value : [value]);
    return { column: columnOf(table, name).column, values: [...values].sort() };
  };
  const afterTime = typeof after === 'object' ? after : undefined;
  return {
    leading: [
      ...(first === undefined ? [] : [membership(first)]),
      ...(splitBy === undefined ? [] : [membership(splitBy.filter, splitBy.values)]),
    ],
    others: rest.filter((name) => name !== splitBy?.filter).map((name) => membership(name)),
    range: isByTime({ filters }) ? rangeOf(filters, sort, afterTime) : undefined,
    afterId: typeof after === 'object' ? undefined : after,
    afterTime,
  };
}

/** What a page of a list by id is merged from. */
export interface Merge {
  /** The field of the first column of the index. */
  readonly field: string;
  /** The second column, and its values: a part for each. */
  readonly column: string;
  readonly values: readonly (string | null)[];
}

/** Whether a filter is a list of values. Few rows have one of them. */
export const hasList = (filters: Filters): boolean =>
  Object.values(filters).some((value) => typeof value === 'object');

/** How a page of a list by id is merged. Undefined: an index reads the page in its order, or few rows match. */
export function mergeOf(table: AnyTable, filters: Filters): Merge | undefined {
  const field = comparingFiltersOf(table).find((name) => filters[name] !== undefined);
  const over = field === undefined ? undefined : table.filters[field]?.mergedOver;
  if (field === undefined || over === undefined || filters[over.filter] !== undefined) return;
  if (hasList(filters)) return;
  return { field, column: columnOf(table, over.filter).column, values: over.values };
}

/** Without the bound at which the list begins, if the page begins later: the engine would read from that bound on. */
function rangeOf(filters: Filters, sort: Sort, after: TimePosition | undefined): TimeRange {
  const [from, before] = [timeIn(filters[TIME_FILTERS.from]), timeIn(filters[TIME_FILTERS.before])];
  if (after === undefined) return { from, before };
  return sort === 'id' ? { from: undefined, before } : { from, before: undefined };
}

const timeIn = (text: FilterValue | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(String(text));
