import { keepPreviousData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { CallOptions, Category, Inventory } from '../../sdk/src/index.ts';
import { editSurely, useChange } from '../change.ts';
import { hasCode, Refusal, unlessGone } from '../failures.ts';
import { firstPage, MAX_PAGE_SIZE, PAGE_SIZE } from '../first-page.ts';
import { int64Text } from '../int64.ts';
import { reading, useRead } from '../reading.ts';
import { KNOWN } from '../refresh.ts';
import { keepSameSearch, searchFault, searchTerm } from '../search.ts';
import { useSession } from '../session.tsx';
import type { Store } from '../store.ts';
import { TEXTS } from '../texts.ts';

interface CategoryQuery {
  readonly name: string;
  /** `-id`: the largest number first. */
  readonly sort: '-id' | '';
  readonly cursor: string;
}

/** One page of categories, unless there is no query. */
export function useCategories(query: CategoryQuery | undefined) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== '');
  return useRead(
    ['categories', query?.name, query],
    (store, options) =>
      firstPage(store.categories.list({ limit: PAGE_SIZE, ...Object.fromEntries(given) }, options)),
    { enabled: query !== undefined, placeholderData: keepSameSearch(query?.name) },
  );
}

/** Categories that every screen knows. In a store with more, the others are asked for one by one. */
const MAX_KNOWN = 1000;

/** Each reading of many categories is many requests. */
const KNOWN_STALE_MS = 60_000;

export type NamedCategory = Category<string>;

const known = (store: Store, options: CallOptions) =>
  store.categories.list({ limit: MAX_PAGE_SIZE }, options).toArray({ limit: MAX_KNOWN });

const NONE: readonly NamedCategory[] = [];

/** The first categories with a name, ascending by number. */
function useKnownCategories() {
  const { may } = useSession();
  const options = { enabled: may('pets:read'), staleTime: KNOWN_STALE_MS };
  const { data = NONE, error } = useRead<readonly NamedCategory[]>([KNOWN], known, options);
  return { known: data, error };
}

/** The category with a number. Undefined if it has no name, or it is not known yet. */
export function useCategory(id: string | undefined): NamedCategory | undefined {
  const { known } = useKnownCategories();
  const category = known.find((one) => one.id === id);
  const isOther = category === undefined && known.length >= MAX_KNOWN && id !== undefined;
  const { data } = useRead(
    [KNOWN, { id }],
    async (store) => (id === undefined ? null : categoryOf(store, id)),
    { enabled: isOther, staleTime: KNOWN_STALE_MS },
  );
  return category ?? data ?? undefined;
}

/** The categories that a text may mean: known ones, and in a store with more also what the service finds. */
export function useCategoriesFor(text: string) {
  const { known, error } = useKnownCategories();
  const term = searchTerm(text);
  const numbered = useCategory(int64Text(text));
  const hasMore = known.length >= MAX_KNOWN;
  const { data = NONE, isPlaceholderData } = useRead<readonly NamedCategory[]>(
    [KNOWN, term],
    async (store, options) =>
      (await firstPage(store.categories.list({ name: term, limit: PAGE_SIZE }, options))).data,
    {
      enabled: hasMore && term !== '' && searchFault(term) === undefined,
      // A name that the field completes is found at once.
      placeholderData: keepPreviousData,
      staleTime: KNOWN_STALE_MS,
    },
  );
  const others = [...data, ...(numbered ? [numbered] : [])];
  const added = others.filter(({ id }) => !known.some((one) => one.id === id));
  return {
    categories: added.length === 0 ? known : [...known, ...added],
    /** Whether a name that is not among them is a new one. */
    isWhole: known !== NONE && (!hasMore || (data !== NONE && !isPlaceholderData)),
    error,
  };
}

/** Loads all categories, however many, unless they are there and have not changed. */
export async function loadCategories(
  queries: QueryClient,
  store: Store,
): Promise<readonly NamedCategory[]> {
  const first = await queries.fetchQuery({
    queryKey: [KNOWN],
    queryFn: ({ signal }) => known(store, reading(signal)),
    staleTime: KNOWN_STALE_MS,
  });
  return first.length < MAX_KNOWN
    ? first
    : store.categories.list({ limit: MAX_PAGE_SIZE }).toArray({ limit: MAX_LOADED });
}

export const namesOf = (categories: readonly NamedCategory[]): ReadonlyMap<string, string> =>
  new Map(categories.map(({ id, name }) => [id, name]));

/** More than any shop has. */
const MAX_LOADED = 1_000_000;

const categoryOf = async (store: Store, id: string): Promise<Category<string> | null> =>
  (await store.categories.get(id).catch(unlessGone('category'))) ?? null;

export const totalOf = (counts: Inventory): number =>
  Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);

const MAX_TRIES = 20;

/** The number after the highest one, unless animals without a named category have it. */
async function findFreeId(store: Store, options?: CallOptions): Promise<string> {
  const last = await firstPage(store.categories.list({ limit: 1, sort: '-id' }, options));
  const highest = BigInt(last.data[0]?.id ?? 0);
  const first = highest < 0n ? 1n : highest + 1n;
  for (let tries = 0n; tries < MAX_TRIES; tries += 1n) {
    const categoryId = int64Text(String(first + tries));
    if (categoryId === undefined) break;
    const animals = await firstPage(store.pets.list({ categoryId, limit: 1 }, options));
    if (animals.data.length === 0) return categoryId;
  }
  throw new Refusal(TEXTS.common.numberMissing);
}

/** A number for a new category. */
export const useFreeCategory = (isEnabled: boolean) =>
  useRead(['free-category'], findFreeId, { enabled: isEnabled, staleTime: 0 });

/** Names a category. Returns it if it has another name. An attempt without a response may have saved the name. */
async function nameNew(store: Store, id: string, name: string) {
  try {
    await store.categories.put(id, { name }, { ifNoneMatch: '*' });
  } catch (error) {
    const found = hasCode(error, 'precondition_failed') && (await categoryOf(store, id));
    if (!found) throw error;
    if (found.name !== name) return found;
  }
  return undefined;
}

/** Names a new category. Its number is the next one that is free. */
export function useAddCategory() {
  const queries = useQueryClient();
  return useChange(
    async (store, name: string) => {
      const taken = await nameNew(store, await findFreeId(store), name);
      if (taken) throw new Refusal(TEXTS.failures.changed);
      // The field knows the name when it says so.
      await queries.refetchQueries({ queryKey: [KNOWN], type: 'active' });
    },
    { refreshes: 'all' },
  );
}

interface Naming {
  /** Undefined: the free number. */
  readonly id: string | undefined;
  readonly name: string;
  /** The name that the user wants to replace. Without it, the category must have none. */
  readonly present?: string | undefined;
}

/** Names a category, unless somebody else has named it since. Returns one whose number was to be free. */
export const useSaveCategory = (freeId: () => Promise<string>) =>
  useChange(
    async (store, { id, name, present }: Naming) => {
      if (id === undefined || present === undefined)
        return nameNew(store, id ?? (await freeId()), name);
      await editSurely(async () => {
        const { data, response } = await store.categories.get(id).withResponse();
        if (![present, name].includes(data.name)) throw new Refusal(TEXTS.failures.changed);
        await store.categories.put(id, { name }, { ifMatch: response.etag });
      });
      return undefined;
    },
    { refreshes: 'all' },
  );

export const useDeleteCategory = () =>
  useChange(
    (store, id: string) =>
      store.categories.delete(id, { ifMatch: '*' }).catch(unlessGone('category')),
    { refreshes: 'all' },
  );
