import { useSyncExternalStore } from 'react';

/**
 * The address of a screen, after the `#`: `#/animals?status=available`. The server knows one page only: every other path stays
 * an error. The page also works below another path.
 */
export interface Address {
  readonly screen: string;
  readonly query: URLSearchParams;
  /** The queries of the pages before this one. It survives a reload. */
  readonly trail: readonly string[];
}

const CHANGED = 'addresschange';

function subscribe(onChange: () => void): () => void {
  for (const event of ['popstate', 'hashchange', CHANGED]) addEventListener(event, onChange);
  return () => {
    for (const event of ['popstate', 'hashchange', CHANGED]) removeEventListener(event, onChange);
  };
}

export function useAddress(): Address {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [screen = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  const state: unknown = history.state;
  return { screen, query: new URLSearchParams(query), trail: isTrail(state) ? state : [] };
}

/** The number of a page of a list. Undefined if the address does not say it. */
export function pageOf({ query }: Address): number | undefined {
  if (!query.has('cursor')) return 1;
  const page = Number(query.get('page'));
  return Number.isSafeInteger(page) && page > 1 ? page : undefined;
}

const isTrail = (state: unknown): state is string[] =>
  Array.isArray(state) && state.every((entry) => typeof entry === 'string');

/** The order of a list, if it is one of these. Empty: the usual one. */
export const sortIn = <const Sort extends string>(
  query: URLSearchParams,
  sorts: readonly Sort[],
): Sort | '' => sorts.find((sort) => sort === query.get('sort')) ?? '';

/** The link to a screen. Empty values are left out of its query. */
export function linkTo(screen: string, query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  return `#/${screen}${text === '' ? '' : `?${text}`}`;
}

/** Goes to a link, and leaves the present address in the history of the browser, unless it is the same. */
export function goTo(link: string, trail: readonly string[] = []): void {
  if (link === location.hash) return;
  history.pushState(trail, '', link);
  dispatchEvent(new Event(CHANGED));
}

/** Goes to a link in the place of the present address. */
export function replaceBy(link: string): void {
  history.replaceState([], '', link);
  dispatchEvent(new Event(CHANGED));
}
