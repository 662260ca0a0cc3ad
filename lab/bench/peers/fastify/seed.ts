import Database from 'better-sqlite3';
import { readRows, SQLITE_SCHEMA } from '../rows.ts';

const database = new Database(process.env['DATABASE']);
database.exec(SQLITE_SCHEMA);
const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
database.transaction(() => {
  for (const { name, categoryId, status } of readRows())
    insert.run(name, categoryId, status ?? null);
})();
database.close();
