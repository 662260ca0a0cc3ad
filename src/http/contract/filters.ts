import type { z } from 'zod';
import type { Int64 } from '../../int64.ts';

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
    if (value === undefined) continue;
    const values = valuesOf(value);
    text += ` ${name}=${values.length > 1 ? [...new Set(values)].sort() : values}`;
  }
  return text;
}

/** The filters as parameters of a query, each with an ampersand after it. */
export function filtersQuery(filters: Filters): string {
  let query = '';
  for (const name in filters) {
    for (const value of valuesOf(filters[name])) query += `${name}=${value}&`;
  }
  return query;
}

/** Encoded, so that no value can be taken for a part of the text around it. */
const valuesOf = (value: FilterValue | undefined): string[] => {
  if (value === undefined) return [];
  return typeof value === 'object' ? value.map(encode) : [encode(value)];
};

const encode = (value: Int64 | string): string =>
  typeof value === 'string' ? encodeURIComponent(value) : String(value);
