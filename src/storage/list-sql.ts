import type { ListQuery } from '../http/contract/list-query.ts';
import type { ListPlan, TimeRange } from './list-plan.ts';
import { SQL_ORDERS } from './rows.ts';
import type { ListSpelling, Spelling } from './sql.ts';

/** What the rows of a list have. */
export interface Selection {
  readonly columns: string;
  readonly from: string;
}

/** What a list has, and how it is cut off. */
interface Listed extends Selection {
  /** The columns of the selection with the id, and with the time of the order. */
  readonly id: string;
  readonly time: string;
  /** The column with the first one of the index, if all rows have one value of it. */
  readonly leading?: string | undefined;
  readonly limit: string;
  readonly most: number;
}

/** Writes the statement of a list, which is merged from parts. An index reads each part in the order of the list. */
export function writeList(
  { lists }: Spelling,
  plan: ListPlan,
  { sort }: ListQuery,
  { columns, from, id, time, leading, limit, most }: Listed,
): string {
  const { direction } = SQL_ORDERS[sort];
  const { order, mergesIds } = plan;
  const inOrder = (names: readonly string[]) =>
    names.map((name) => `${name} ${direction}`).join(', ');
  const byTime = order ? [time] : [];
  const indexed = plan.leading.map(({ column }) => column);
  return lists.merge({
    columns,
    from,
    parts: partsOf(lists, plan, sort).map((part) => part.join(' AND ') || 'true'),
    indexOrder: inOrder([...indexed, ...(order ? [order.column] : []), 'id']),
    order: inOrder([...byTime, id]),
    mergeOrder: inOrder([...(leading ? [leading] : []), ...byTime, id]),
    limit,
    most,
    mergesIds: mergesIds && id === 'id',
  });
}

/** The conditions of each part. */
function partsOf(lists: ListSpelling, plan: ListPlan, sort: ListQuery['sort']): string[][] {
  const { hide, compared } = lists;
  const { ids, leading, order, after, only, others, ranges } = plan;
  const { isAfter } = SQL_ORDERS[sort];
  const within = ({ column, from, before }: TimeRange): string[] => [
    ...(from === undefined ? [] : [`${column} >= ${hide(from)}`]),
    ...(before === undefined ? [] : [`${column} < ${hide(before)}`]),
  ];
  const first = [
    ...(only ? [only.condition] : []),
    ...(ids ? [lists.isOneOf(ids.column, ids.parameter, ids.type)] : []),
  ];
  const parts = leading.reduce<string[][]>(
    (before, { column, values, type }, index) =>
      before.flatMap((part) =>
        values.map((value) => [
          ...part,
          index === 0 && value !== null
            ? lists.leads(column, value, type)
            : lists.follows(column, value),
        ]),
      ),
    [first],
  );
  const bounds = order ? within(order) : [];
  let starts = [bounds];
  if (order && after?.time !== undefined) {
    // Rows of the same time are within the bounds.
    const conditions = lists.afterTime(isAfter, order.column, after.time, after.id);
    const lastPart = conditions.length - 1;
    starts = conditions.map((one, index) => (index < lastPart ? [one] : [one, ...bounds]));
  } else if (after !== undefined) starts = [[`id ${isAfter} ${hide(after.id)}`, ...bounds]];
  const isEqual = others.map(({ column, type, parameter, isList }) =>
    isList ? lists.isOneOf(column, parameter, type) : `${column} = ${hide(parameter)}`,
  );
  const rest = [...isEqual, ...ranges.flatMap(within)].map(compared);
  return parts.flatMap((part) => starts.map((start) => [...part, ...start, ...rest]));
}
