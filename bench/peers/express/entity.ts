import 'reflect-metadata';
import type { Database } from 'better-sqlite3';
import { DataSource, EntitySchema } from 'typeorm';

export interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status: string | null;
}

export const Pet = new EntitySchema<Pet>({
  name: 'pets',
  columns: {
    id: { type: 'integer', primary: true, generated: 'increment' },
    name: { type: 'text' },
    categoryId: { type: 'integer', name: 'category_id' },
    status: { type: 'text', nullable: true },
  },
});

/** WAL, and FULL: a 201 means on disk. */
export const open = (): Promise<DataSource> =>
  new DataSource({
    type: 'better-sqlite3',
    database: process.env['DATABASE'] ?? '',
    entities: [Pet],
    enableWAL: true,
    prepareDatabase: (database: Database) => {
      database.pragma('synchronous = FULL');
      database.pragma('busy_timeout = 5000');
    },
  }).initialize();
