import type { Category } from '../../../categories/category.ts';
import type { CategoryStore } from '../../../categories/category-store.ts';
import type { Int64 } from '../../../int64.ts';
import { after, readPage } from '../statements/page-queries.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';

const SELECT = 'SELECT id, name FROM animal_store.categories';

export class PostgresCategoryStore implements CategoryStore {
  constructor(
    readonly run: Run,
    readonly lock: RowLock,
  ) {}

  async list(afterId: Int64 | undefined, count: number): Promise<Category[]> {
    return [...(await readPage<Category>(this.run, SELECT, after(afterId), count))];
  }

  async get(id: Int64): Promise<Category | undefined> {
    const [row] = await this.run<Category>(`${SELECT} WHERE id = $1 ${this.lock}`, [id]);
    return row;
  }

  async isKnown(id: Int64): Promise<boolean> {
    // FOR KEY SHARE does not block other readers, but prevents the deletion of the record.
    const rows = await this.run(`${SELECT} WHERE id = $1 FOR KEY SHARE`, [id]);
    return rows.length > 0;
  }

  async create({ id, name }: Category): Promise<void> {
    await this.run('INSERT INTO animal_store.categories (id, name) VALUES ($1, $2)', [id, name]);
  }

  async replace({ id, name }: Category): Promise<void> {
    await this.run('UPDATE animal_store.categories SET name = $1 WHERE id = $2', [name, id]);
  }

  async remove(id: Int64): Promise<void> {
    await this.run('DELETE FROM animal_store.categories WHERE id = $1', [id]);
  }

  async isInUse(id: Int64): Promise<boolean> {
    const rows = await this.run('SELECT 1 FROM animal_store.pets WHERE category_id = $1 LIMIT 1', [
      id,
    ]);
    return rows.length > 0;
  }
}
