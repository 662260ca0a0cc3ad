import type { WithResponse } from './call.ts';
import { type CallOptions, checkNames } from './options.ts';
import type { RequestCore } from './request-core.ts';

/** One page of a list. */
export interface Page<T> extends WithResponse<T[]> {
  /** Continues the list after this page, with the same filters and order. Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/**
 * A list of the service, read page by page. Each iteration sends its own requests, and stops sending when
 * the loop ends.
 */
export class List<T> implements AsyncIterable<T> {
  readonly #query: string | undefined;
  readonly #read: (query: string) => Promise<WithResponse<T[]>>;

  /**
   * @param query of the first page; undefined if no item can match
   * @param check throws for an item that the query excludes
   */
  constructor(
    core: RequestCore,
    path: string,
    query: string | undefined,
    options: CallOptions | undefined,
    check: (item: T) => void = () => {},
  ) {
    this.#query = query;
    this.#read = async (query) => {
      const page = await core.send<T[]>({ method: 'GET', path, query, isList: true }, options);
      page.data.forEach(check);
      return page;
    };
  }

  /** All items, in the order of the list. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /**
   * Collects the items, at most `limit`. Fetches no page more than it needs.
   * @throws TypeError if the limit is no number from 0, or for another option
   */
  async toArray(options: { readonly limit?: number } = {}): Promise<T[]> {
    checkNames(options, ['limit']);
    const { limit = Number.MAX_SAFE_INTEGER } = options;
    if (!(limit >= 0)) throw new TypeError('limit must be 0 or a positive number.');
    const items: T[] = [];
    if (limit > 0) for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }

  /** All pages. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let query = this.#query;
    while (query !== undefined) {
      const page = await this.#read(query);
      query = nextQuery(page.response.headers.get('Link') ?? '');
      const nextCursor = new URLSearchParams(query).get('cursor') ?? undefined;
      yield { ...page, nextCursor };
    }
  }
}

/** The query of the next page (RFC 8288). Not the whole URL: a proxy may have another host and path. */
const nextQuery = (link: string): string | undefined =>
  /<[^>?]*(\?[^>]*)>[^,<]*;\s*rel="?next\b/i.exec(link)?.[1];
