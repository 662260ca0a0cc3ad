import type { List, Page } from '../sdk/src/index.ts';

/** Reads one page of a list. The others are separate screens here. */
export async function firstPage<T>(list: List<T>): Promise<Page<T>> {
  const { value } = await list.pages().next();
  if (value === undefined) throw new Error('A list has at least one page.');
  return value;
}
