import { Injectable } from '@nestjs/common';
import Database from 'better-sqlite3';
import type { ListQuery, NewPet, Pet } from './pet.js';

const COLUMNS = 'id, name, category_id AS categoryId, status';

interface Row {
  id: number;
  name: string;
  categoryId: number;
  status: string | null;
}

type Columns = [id: number, name: string, categoryId: number, status: string | null];

@Injectable()
export class PetsService {
  /** Lists get their rows as arrays, which better-sqlite3 makes faster than objects. */
  private readonly list;
  private readonly listByStatus;
  private readonly get;
  private readonly insert;

  constructor() {
    const database = new Database(process.env['DATABASE']);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA busy_timeout = 5000;
    `);
    this.list = database
      .prepare<unknown[], Columns>(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
      .raw();
    this.listByStatus = database
      .prepare<unknown[], Columns>(
        `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
      )
      .raw();
    this.get = database.prepare<unknown[], Row>(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
    this.insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  }

  findPage({ limit, after, status }: ListQuery): Pet[] {
    const rows =
      status === undefined
        ? this.list.all(after, limit)
        : this.listByStatus.all(status, after, limit);
    return rows.map(fromColumns);
  }

  find(id: number): Pet | undefined {
    const row = this.get.get(id);
    return row && toPet(row);
  }

  create({ name, categoryId, status }: NewPet): Pet {
    const id = Number(this.insert.run(name, categoryId, status ?? null).lastInsertRowid);
    return { id, name, categoryId, status };
  }
}

/** Without a status, the field is absent. */
const toPet = ({ id, name, categoryId, status }: Row): Pet => ({
  id,
  name,
  categoryId,
  status: status ?? undefined,
});

const fromColumns = ([id, name, categoryId, status]: Columns): Pet =>
  toPet({ id, name, categoryId, status });
