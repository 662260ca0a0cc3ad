import type { List, Page } from '../sdk/src/index.ts';

/** What a screen shows at a time, and the most that one page of the service holds. */
export const PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export interface ListPage<T> {
  readonly data: readonly T[];
  /** Leads to the next page. Undefined on the last one. */
  readonly nextCursor: string | undefined;
}

/** Reads one page of a list. The others are separate screens here. */
export async function firstPage<T>(list: List<T>): Promise<Page<T>> {
  const { value } = await list.pages().next();
  if (value === undefined) throw new Error('A list has at least one page.');
  return value;
}
