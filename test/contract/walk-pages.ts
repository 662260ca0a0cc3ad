import type { TestService } from '../support/service.ts';

/** More than any test has. */
const MAX_PAGES = 10_000;

/** The pages from a path on, which the links to the next page lead to. */
export async function walkPages<T>(service: TestService, path: string): Promise<T[][]> {
  const pages: T[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await service.request('GET', next);
    if (pages.push(response.json as T[]) > MAX_PAGES) throw new Error('The pages have no end.');
    next = response.next;
  }
  return pages;
}
