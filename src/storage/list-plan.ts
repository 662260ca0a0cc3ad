import type { ListQuery, Position, TimeField } from '../http/contract/list-query.ts';
import { DELIVERED_STATUSES } from '../orders/order-states.ts';
import { type Cell, columnOf, comparingFiltersOf } from './rows.ts';
import type { Sql } from './sql.ts';
import type { AnyTable } from './tables.ts';

/** What the statement of a list reads. Its values are parameters, so that lists of the same shape share it. */

/** Finds the value of a parameter. */
export type Source = (sql: Sql, query: ListQuery, after: Position | undefined) => Cell;

/** A column with the values of which it must have one: parameters such as `$1`, constants, and null for NULL. */
interface Membership {
  readonly column: string;
  readonly type: 'bigint' | 'text';
  readonly values: readonly (string | null)[];
}

/** A column that must have the value of a parameter, or one of those in it. */
interface Comparison {
  readonly column: string;
  readonly type: 'bigint' | 'text';
  readonly parameter: string;
  readonly isList: boolean;
}

/** A column with times, in milliseconds since 1970-01-01T00:00:00Z, and parameters as its bounds. */
export interface TimeRange {
  readonly column: string;
  /** Inclusive. */
  readonly from: string | undefined;
  /** Exclusive. */
  readonly before: string | undefined;
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

export interface ListPlan {
  /** The ids of which rows must have one. The primary key reads them. */
  readonly ids: Comparison | undefined;
  /**
   * The first columns of the index that reads the list. An index reads one value of each in the order of the list: the list
   * is merged from a part for each combination of values.
   */
  readonly leading: readonly Membership[];
  /** The field of the first of them, if all rows have one value of it. */
  readonly leadingField: string | undefined;
  /** Whether the ids of the parts are merged before their rows are read. */
  readonly mergesIds: boolean;
  /** The other filters. The rows that the index reads are compared with them. */
  readonly others: readonly Comparison[];
  /** The filter with which only the matches of a search are compared. */
  readonly ofMatches: Comparison | undefined;
  /** The bounds of a time that does not order the list. */
  readonly ranges: readonly TimeRange[];
  /** The time that orders the list, and its field. Undefined if the list is by id. */
  readonly order: (TimeRange & { readonly field: TimeField }) | undefined;
  /** The index that must read the list, and what all of its rows have. */
  readonly only: TimeRule['only'];
  /** The position after which the list begins: an id, and a time if the list is by one. */
  readonly after: { readonly id: string; readonly time: string | undefined } | undefined;
  /** The values of the parameters, in their order. */
  readonly sources: readonly Source[];
}

/** Plans all lists of a shape. @param query one of them. @param after its position. */
export function planOf(
  table: AnyTable,
  { filters, sort, by }: ListQuery,
  after: Position | undefined,
  isSearch: boolean,
): ListPlan {
  const sources: Source[] = [];
  const parameter = (source: Source): string => `$${sources.push(source)}`;
  const typed = (name: string) => {
    const { column, type } = columnOf(table, name);
    return { column, type: type === 'text' ? ('text' as const) : ('bigint' as const) };
  };
  const membership = (name: string, constants: readonly (string | null)[] = []): Membership => {
    const value = filters[name];
    const values =
      value === undefined
        ? constants.map((one) => (one === null ? null : `'${one}'`))
        : distinct(value).map((_one, index) =>
            parameter((_sql, query) => distinct(query.filters[name])[index] ?? null),
          );
    return { ...typed(name), values };
  };
  const comparison = (name: string): Comparison => {
    const isList = typeof filters[name] === 'object';
    const source: Source = isList
      ? (sql, query) => sql.listOf(distinct(query.filters[name]))
      : (_sql, query) => query.filters[name] as Cell;
    return { ...typed(name), parameter: parameter(source), isList };
  };
  const bound = (name = ''): string | undefined =>
    filters[name] === undefined
      ? undefined
      : parameter((_sql, query) => Date.parse(String(query.filters[name])));

  const position = after === undefined ? undefined : positionOf(after, parameter);
  const rule = by && TIMES[by];
  const used = comparingFiltersOf(table).filter((name) => filters[name] !== undefined);
  const ids = used.find((name) => table.key.includes(name));
  const matched = used.find((name) => isSearch && name === table.search?.matched);
  const [first] =
    rule?.only || ids !== undefined
      ? []
      : [...used.filter((name) => name !== matched), ...(rule?.statuses ? ['status'] : [])];
  const splitBy = first === undefined ? undefined : table.filters[first]?.splitBy;
  const leading = [
    ...(first === undefined ? [] : [membership(first, rule?.statuses)]),
    ...(splitBy === undefined ? [] : [membership(splitBy.filter, splitBy.values)]),
  ];
  const isLeading = (name: string) => name === first || name === splitBy?.filter;
  const others = used.filter((name) => !isLeading(name) && name !== ids && name !== matched);
  /** Without the bound at which the list begins, if it begins later: the engine would read from that bound on. */
  const rangeOf = (field: TimeField, isOrder: boolean): TimeRange => ({
    column: columnOf(table, field).column,
    from: isOrder && position?.time && sort === 'id' ? undefined : bound(TIMES[field].from),
    before: isOrder && position?.time && sort === '-id' ? undefined : bound(TIMES[field].before),
  });
  const isBounded = (field: TimeField): boolean => {
    const { from = '', before = '' } = TIMES[field];
    return field !== by && (filters[from] ?? filters[before]) !== undefined;
  };
  return {
    ids: ids === undefined ? undefined : comparison(ids),
    leading,
    leadingField: leading[0]?.values.length === 1 ? first : undefined,
    mergesIds: splitBy?.mergesIds === true,
    others: others.map(comparison),
    ofMatches: matched === undefined || isLeading(matched) ? undefined : comparison(matched),
    ranges: (Object.keys(TIMES) as TimeField[])
      .filter(isBounded)
      .map((field) => rangeOf(field, false)),
    order: by && { field: by, ...rangeOf(by, true) },
    only: rule?.only,
    after: position,
    sources,
  };
}

function positionOf(after: Position, parameter: (source: Source) => string) {
  const isByTime = typeof after === 'object';
  const time = isByTime
    ? parameter((_sql, _query, at) => (typeof at === 'object' ? at.time : null))
    : undefined;
  const id = parameter((_sql, _query, at) => (typeof at === 'object' ? at.id : (at ?? null)));
  return { id, time };
}

/** The values of a filter, each once. */
export const distinct = (value: ListQuery['filters'][string]): (number | bigint | string)[] =>
  typeof value === 'object' ? [...new Set<number | bigint | string>(value)] : [value ?? ''];
