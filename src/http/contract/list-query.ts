import type { z } from 'zod';
import type { Int64 } from '../../int64.ts';

/** A value that the items of a list must have, or several values of which they must have one. */
type FilterValue = Int64 | string | readonly Int64[] | readonly string[];

/** The filters of a list, by parameter. An undefined filter selects all items. */
export type Filters = Readonly<Record<string, FilterValue | undefined>>;

/** The orders of a list, as the parameter `sort` names them: by id, ascending or descending. */
export const SORTS = ['id', '-id'] as const;
export type Sort = (typeof SORTS)[number];

/** The order of a list without the parameter `sort`. */
export const DEFAULT_SORT: Sort = 'id';

/** What selects and orders the items of a list. Its pages, links and cursors belong to all of it. */
export interface ListQuery<ListFilters extends Filters = Filters> {
  readonly filters: ListFilters;
  readonly sort: Sort;
  /** The time by which the list is ordered, then by id. Undefined: the list is by id alone. */
  readonly by?: TimeField | undefined;
}

/** The times by which a list can be ordered. */
export type TimeField = 'createdAt' | 'deliveredAt' | 'expiresAt';

/** Who asks for a list whose reading takes long, such as a search. */
export interface Asker {
  /** The API key. Keys take turns. */
  readonly keyId: number;
  /** Whether nobody waits for the response any more: the client is gone, or its deadline has passed. */
  readonly isGone: () => boolean;
}

/** The position of an item in a list by a time, in milliseconds since 1970-01-01T00:00:00Z. */
export interface TimePosition {
  readonly time: number;
  readonly id: Int64;
}

/** The position of an item in a list: its id, if the list is by id. */
export type Position = Int64 | TimePosition;

/** The values of the filters that a table of parameters declares. */
export type FilterValues<Declared extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Declared]?: z.output<Declared[Name]> | undefined;
};

/**
 * A text that is equal for two queries of a list if and only if they are. The order and repetition of values do not matter.
 * The default order has no text, so a cursor from before `sort` was added is still valid.
 */
export function queryText({ filters, sort, by }: ListQuery): string {
  let text = '';
  for (const name in filters) {
    const value = filters[name];
    if (value === undefined) continue;
    const values = valuesOf(value);
    text += ` ${name}=${values.length > 1 ? [...new Set(values)].sort() : values}`;
  }
  const order = orderOf(sort, by);
  return order === DEFAULT_SORT ? text : `${text} sort=${order}`;
}

/** The query as parameters of a URL, each followed by an ampersand. */
export function queryParameters({ filters, sort, by }: ListQuery): string {
  let query = '';
  for (const name in filters) {
    for (const value of valuesOf(filters[name])) query += `${name}=${value}&`;
  }
  const order = orderOf(sort, by);
  return order === DEFAULT_SORT ? query : `${query}sort=${order}&`;
}

/** The order as the parameter `sort` names it. The other times follow from the filters. */
const orderOf = (sort: Sort, by: TimeField | undefined): string => (by === 'expiresAt' ? by : sort);

/** The encoding keeps a value apart from the text around it. */
const valuesOf = (value: FilterValue | undefined): string[] => {
  if (value === undefined) return [];
  return typeof value === 'object' ? value.map((one) => encode(one)) : [encode(value)];
};

const encode = (value: Int64 | string): string =>
  typeof value === 'string' ? encodeURIComponent(value) : String(value);
