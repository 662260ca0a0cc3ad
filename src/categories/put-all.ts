import { type Steps, wait } from '../steps.ts';
import type { Category } from './category.ts';
import type { CategoryStore } from './category-store.ts';

/** Adds or replaces records one by one, for both engines. Returns those that were changed. */
export function* putAll(
  store: Pick<CategoryStore, 'get' | 'create' | 'replace'>,
  categories: readonly Category[],
): Steps<Category[]> {
  const changed = new Map<Category['id'], Category>();
  for (const category of categories) {
    const existing = yield* wait(store.get(category.id));
    if (existing?.name === category.name) continue;
    yield* wait(existing ? store.replace(category) : store.create(category));
    changed.set(category.id, category);
  }
  return [...changed.values()];
}
