import type { z } from '@hono/zod-openapi';
import type { Int64 } from './int64.ts';

/** What a list may be narrowed to: a value that its items have, or several of which they have one. */
export type FilterValue = Int64 | string | readonly Int64[];

/** The filters of one list by their parameters; one that is undefined does not narrow the list. */
export type Filters = Readonly<Record<string, FilterValue | undefined>>;

/** The values of the filters that a table of parameters declares. */
export type FilterValues<Declared extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Declared]?: z.output<Declared[Name]> | undefined;
};

/** A text that is the same for two lists if and only if their filters are; the order and repetition of several values make no difference. */
export function filtersText(filters: Filters): string {
  let text = '';
  for (const name in filters) {
    const value = filters[name];
    if (Array.isArray(value)) text += ` ${name}=${[...new Set(value)].map(String).sort()}`;
    else if (value !== undefined) text += ` ${name}=${encode(value as Int64 | string)}`;
  }
  return text;
}

/** The filters as parameters of a query, each with an ampersand after it. */
export function filtersQuery(filters: Filters): string {
  let query = '';
  for (const name in filters) {
    const value = filters[name];
    if (Array.isArray(value)) for (const one of value) query += `${name}=${one}&`;
    else if (value !== undefined) query += `${name}=${encode(value as Int64 | string)}&`;
  }
  return query;
}

/** So that no value can be taken for a part of the text around it. */
const encode = (value: Int64 | string): string =>
  typeof value === 'string' ? encodeURIComponent(value) : String(value);
