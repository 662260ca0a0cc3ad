import 'reflect-metadata';
import type { Database } from 'better-sqlite3';
import { DataSource } from 'typeorm';

/** WAL, and FULL: a 201 means on disk. */
export const open = (): Promise<DataSource> =>
  new DataSource({
    type: 'better-sqlite3',
    database: process.env['DATABASE'] ?? '',
    enableWAL: true,
    prepareDatabase: (database: Database) => {
      database.pragma('synchronous = FULL');
      database.pragma('busy_timeout = 5000');
    },
  }).initialize();
