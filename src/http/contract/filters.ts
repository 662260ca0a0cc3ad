import type { z } from 'zod';
import type { Int64 } from '../../int64.ts';

/** A value that the items of a list must have, or several values of which they must have one. */
export type FilterValue = Int64 | string | readonly Int64[];

/** The filters of a list, by parameter. An undefined filter selects all items. */
export type Filters = Readonly<Record<string, FilterValue | undefined>>;

/** The values of the filters that a table of parameters declares. */
export type FilterValues<Declared extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Declared]?: z.output<Declared[Name]> | undefined;
};

/** A text that is equal for two lists if and only if their filters are. The order and repetition of values do not matter. */
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

/** The filters as query parameters, each followed by an ampersand. */
export function filtersQuery(filters: Filters): string {
  let query = '';
  for (const name in filters) {
    for (const value of valuesOf(filters[name])) query += `${name}=${value}&`;
  }
  return query;
}

/** The encoding keeps a value apart from the text around it. */
const valuesOf = (value: FilterValue | undefined): string[] => {
  if (value === undefined) return [];
  return typeof value === 'object' ? value.map(encode) : [encode(value)];
};

const encode = (value: Int64 | string): string =>
  typeof value === 'string' ? encodeURIComponent(value) : String(value);
