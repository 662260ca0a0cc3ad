import { afterAll, beforeAll } from 'bun:test';
import { startService } from '../support/service.ts';

/** The pages of the reference. */
export const PAGES = [
  '/docs',
  '/docs/integrate',
  '/docs/retries',
  '/docs/recipes',
  '/docs/errors',
  '/docs/changelog',
];

/** Requests paths without a socket and without following redirects. */
export async function startWith(options: { extensions?: boolean } = {}) {
  const service = await startService({ options });
  const get = async (path: string) => service.app.fetch(new Request(`http://store.test${path}`));
  return { service, get };
}

/** The pages of a service that the tests of a file share. */
export function usePages() {
  let reference: Awaited<ReturnType<typeof startWith>>;
  const pages = new Map<string, string>();
  beforeAll(async () => {
    reference = await startWith();
    for (const path of PAGES) pages.set(path, await (await reference.get(path)).text());
  });
  afterAll(() => reference.service.close());
  return {
    pages,
    page: (path: string): string => pages.get(path) ?? '',
    get: (path: string) => reference.get(path),
  };
}

/** The text of HTML, as a reader sees it. */
export const textOf = (html: string): string => decoded(html.replaceAll(/<[^>]*>/g, ''));

export const decoded = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
