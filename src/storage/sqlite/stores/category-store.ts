import type { Database as Sqlite } from 'bun:sqlite';
import type { Category } from '../../../categories/category.ts';
import type { CategoryStore } from '../../../categories/category-store.ts';
import type { Int64 } from '../../../int64.ts';
import { translateReadErrors } from '../failures.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import { after, PageQueries } from '../statements/page-queries.ts';

const COLUMNS = 'SELECT id, name FROM categories';

export class SqliteCategoryStore implements CategoryStore {
  readonly #connection: Sqlite;
  readonly #pages: PageQueries<Category>;
  readonly #byId: ExactQuery<Category>;

  constructor(connection: Sqlite) {
    this.#connection = connection;
    this.#pages = new PageQueries(connection, COLUMNS, ['id']);
    this.#byId = new ExactQuery(connection, `${COLUMNS} WHERE id = ?`, ['id']);
  }

  list(afterId: Int64 | undefined, count: number): Category[] {
    return this.#pages.read(after(afterId), count);
  }

  get(id: Int64): Category | undefined {
    return translateReadErrors(this.#connection, () => this.#byId.get(id)) ?? undefined;
  }

  isKnown(id: Int64): boolean {
    return this.get(id) !== undefined;
  }

  create({ id, name }: Category): void {
    this.#connection.query('INSERT INTO categories (id, name) VALUES (?, ?)').run(id, name);
  }

  replace({ id, name }: Category): void {
    this.#connection.query('UPDATE categories SET name = ? WHERE id = ?').run(name, id);
  }

  remove(id: Int64): void {
    this.#connection.query('DELETE FROM categories WHERE id = ?').run(id);
  }

  isInUse(id: Int64): boolean {
    return (
      this.#connection.query('SELECT 1 FROM pets WHERE category_id = ? LIMIT 1').get(id) !== null
    );
  }
}
