import type {
  Filters,
  FilterValue,
  ListQuery,
  Position,
  Sort,
  TimeField,
  TimePosition,
} from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import { DELIVERED_STATUSES } from '../orders/order-states.ts';
import { columnOf, comparingFiltersOf } from './rows.ts';
import type { AnyTable } from './tables.ts';

/** How an engine reads a list with several values of a filter, or by a time. */

type Value = Int64 | string;

/** A column with the values of which it must have one. */
export interface Membership {
  readonly column: string;
  readonly values: readonly Value[];
}

/** A column with times, in milliseconds since 1970-01-01T00:00:00Z. */
export interface TimeRange {
  readonly column: string;
  /** Inclusive. */
  readonly from: number | undefined;
  /** Exclusive. */
  readonly before: number | undefined;
}

/** A time by which a list can be ordered. */
interface TimeRule {
  /** The filters of its bounds. */
  readonly from?: string;
  readonly before?: string;
  /** The index of the time has the statuses first. Other orders do not have the time. */
  readonly statuses?: readonly string[];
  /** One index reads the list, whatever the filters are: it has few orders, and only those with the condition. */
  readonly only?: { readonly index: string; readonly condition: string };
}

const TIMES: Readonly<Record<TimeField, TimeRule>> = {
  createdAt: { from: 'createdAfter', before: 'createdBefore' },
  deliveredAt: {
    from: 'deliveredAfter',
    before: 'deliveredBefore',
    statuses: DELIVERED_STATUSES,
  },
  expiresAt: { only: { index: 'orders_by_expiry', condition: "status = 'placed'" } },
};

/** What an engine reads for a page. */
export interface ListPlan {
  /**
   * The first columns of the index that reads the page. An index reads one value of each in the order of the list, so the page is
   * merged from one part for each combination of values.
   */
  readonly leading: readonly Membership[];
  /** The other filters. The rows that the index reads are compared with them. */
  readonly others: readonly Membership[];
  /** The bounds of a time that does not order the list. */
  readonly ranges: readonly TimeRange[];
  /** The time that orders the list, and its field. Undefined if the list is by id. */
  readonly order: (TimeRange & { readonly field: TimeField }) | undefined;
  /** The index that must read the list, and what all of its rows have. */
  readonly only: TimeRule['only'];
  /** The position after which the page begins. */
  readonly afterId: Int64 | undefined;
  readonly afterTime: TimePosition | undefined;
}

export function planOf(
  table: AnyTable,
  { filters, sort, by }: ListQuery,
  after: Position | undefined,
): ListPlan {
  const rule = by && TIMES[by];
  const used = comparingFiltersOf(table).filter((name) => filters[name] !== undefined);
  const first = rule?.only ? undefined : (used[0] ?? (rule?.statuses && 'status'));
  const splitBy = first === undefined ? undefined : table.filters[first]?.splitBy;
  const membership = (name: string, otherwise: readonly string[] = []): Membership => {
    const value: FilterValue = filters[name] ?? otherwise;
    const values = new Set<Value>(typeof value === 'object' ? value : [value]);
    return { column: columnOf(table, name).column, values: [...values].sort() };
  };
  const afterTime = typeof after === 'object' ? after : undefined;
  const rangeOf = (field: TimeField): TimeRange => {
    const { from = '', before = '' } = TIMES[field];
    const { column } = columnOf(table, field);
    return { column, from: timeIn(filters[from]), before: timeIn(filters[before]) };
  };
  const isBounded = (field: TimeField): boolean => {
    const { from = '', before = '' } = TIMES[field];
    return field !== by && (filters[from] ?? filters[before]) !== undefined;
  };
  return {
    leading: [
      ...(first === undefined ? [] : [membership(first, rule?.statuses)]),
      ...(splitBy === undefined ? [] : [membership(splitBy.filter, splitBy.values)]),
    ],
    others: used
      .filter((name) => name !== first && name !== splitBy?.filter)
      .map((name) => membership(name)),
    ranges: (Object.keys(TIMES) as TimeField[]).filter(isBounded).map(rangeOf),
    order: by && { field: by, ...fromPosition(rangeOf(by), sort, afterTime) },
    only: rule?.only,
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
function fromPosition(range: TimeRange, sort: Sort, after: TimePosition | undefined): TimeRange {
  if (after === undefined) return range;
  return sort === 'id' ? { ...range, from: undefined } : { ...range, before: undefined };
}

const timeIn = (text: FilterValue | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(String(text));
