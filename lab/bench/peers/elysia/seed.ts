import { Database } from 'bun:sqlite';
import { readRows, SQLITE_SCHEMA } from '../rows.ts';

const database = new Database(process.env['DATABASE'], { strict: true });
database.run(SQLITE_SCHEMA);
const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
database.transaction(() => {
  for (const { name, categoryId, status } of readRows())
    insert.run(name, categoryId, status ?? null);
})();
database.close();
