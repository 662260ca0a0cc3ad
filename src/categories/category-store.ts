import type { Asker, ListQuery } from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Category } from './category.ts';
import type { CategoryFilters } from './category-filters.ts';

/** Reads the records of categories. Failures are thrown as `StorageError`. */
export interface CategoryReader {
  /**
   * The first `count` records of a list that follow the id `afterId` (undefined: from the beginning).
   * @param asker who searches by name.
   */
  list(
    query: ListQuery<CategoryFilters>,
    afterId: Int64 | undefined,
    count: number,
    asker?: Asker,
  ): MaybePromise<Category[]>;

  get(id: Int64): MaybePromise<Category | undefined>;
}

/** Reads and changes the records within a transaction. */
export interface CategoryStore extends CategoryReader {
  /** Whether the category has a record. The record cannot be deleted until the transaction ends. */
  isKnown(id: Int64): MaybePromise<boolean>;

  /** The ids among `ids` whose categories have a record. These records cannot be deleted until the transaction ends. */
  knownAmong(ids: readonly Int64[]): MaybePromise<ReadonlySet<Int64>>;

  /** Adds a record. There must be none with its id. */
  create(category: Category): MaybePromise<Category>;

  /** Replaces the record with the same id. */
  replace(category: Category): MaybePromise<void>;

  remove(id: Int64): MaybePromise<void>;

  /** Adds or replaces records. */
  putAll(categories: readonly Category[]): MaybePromise<void>;

  /** Whether an animal belongs to the category. */
  isInUse(id: Int64): MaybePromise<boolean>;
}
