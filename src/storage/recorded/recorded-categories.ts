import type { Category } from '../../categories/category.ts';
import type { CategoryStore } from '../../categories/category-store.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { importEventOf, previousOf, type Recording } from './recording.ts';
import { Remembered } from './remembered.ts';

/** Changes the records of categories and records the events. */
export class RecordedCategories implements CategoryStore {
  readonly #known = new Remembered<Category>((id) => this.stored.get(id));

  constructor(
    readonly stored: CategoryStore,
    readonly recording: Recording,
  ) {}

  list = (...parameters: Parameters<CategoryStore['list']>) => this.stored.list(...parameters);

  isKnown = (id: Int64) => this.stored.isKnown(id);

  knownAmong = (ids: readonly Int64[]) => this.stored.knownAmong(ids);

  isInUse = (id: Int64) => this.stored.isInUse(id);

  get(id: Int64): MaybePromise<Category | undefined> {
    return this.#known.get(id);
  }

  create(category: Category): MaybePromise<Category> {
    return chain(this.stored.create(category), (created) => {
      this.#known.set(created.id, created);
      this.recording.add('category.created', created.id, { data: created });
      return created;
    });
  }

  replace(category: Category): MaybePromise<void> {
    const { id } = category;
    return chain(this.#known.last(id), (before) =>
      chain(this.stored.replace(category), () => {
        this.#known.set(id, category);
        const previous = before && previousOf(before, category);
        if (previous) this.recording.add('category.updated', id, { data: category, previous });
      }),
    );
  }

  remove(id: Int64): MaybePromise<void> {
    return chain(this.#known.last(id), (before) =>
      chain(this.stored.remove(id), () => {
        this.#known.set(id, undefined);
        if (before) this.recording.add('category.deleted', id, { data: before });
      }),
    );
  }

  putAll(categories: readonly Category[]): MaybePromise<Category[]> {
    return chain(this.stored.putAll(categories), (changed) => {
      const ids = changed.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
      this.#known.forget(ids);
      const range = { count: ids.length, firstId: ids[0] ?? 0, lastId: ids.at(-1) ?? 0 };
      const event = importEventOf('categories', range, this.recording.cause);
      if (event) this.recording.events.push(event);
      return changed;
    });
  }
}
