import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Category } from './category.ts';

/** Where the records of categories are found. Failures are thrown as `StorageError`. */
export interface CategoryReader {
  /** The first `count` records with an id greater than `afterId` (undefined: from the beginning), ascending by id. */
  list(afterId: Int64 | undefined, count: number): MaybePromise<Category[]>;

  get(id: Int64): MaybePromise<Category | undefined>;
}

/** The same, within a transaction that may change them. */
export interface CategoryStore extends CategoryReader {
  /** Whether the category has a record. If so, it stays until the transaction ends. */
  isKnown(id: Int64): MaybePromise<boolean>;

  /** Adds a record whose id has none. */
  create(category: Category): MaybePromise<void>;

  /** Puts a record in the place of the one with its id. */
  replace(category: Category): MaybePromise<void>;

  remove(id: Int64): MaybePromise<void>;

  /** Whether an animal belongs to the category. */
  isInUse(id: Int64): MaybePromise<boolean>;
}
