import { expect, test } from 'bun:test';
import { migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/schema/migrations.ts';
import { column, openScratch } from './scratch.ts';

test('the migration of events gives events:read to keys with keys:admin, and to no others', () => {
  const scratch = openScratch();
  const connection = scratch.writing();
  const before = MIGRATIONS.findIndex((text) => text.includes('event_feed'));
  migrate(connection, scratch.path, MIGRATIONS.slice(0, before));
  for (const [index, scopes] of ['keys:admin', 'pets:read keys:admin', 'pets:read', ''].entries())
    connection
      .query(
        "INSERT INTO api_keys (name, hash, hint, scopes, created_at) VALUES ('a', ?, 'a', ?, 1)",
      )
      .run(Buffer.alloc(32, index), scopes);
  migrate(connection, scratch.path);
  expect(column(connection, 'SELECT scopes FROM api_keys ORDER BY id')).toEqual([
    'keys:admin events:read',
    'pets:read keys:admin events:read',
    'pets:read',
    '',
  ]);
  expect(column(connection, 'SELECT length(generation) FROM event_feed')).toEqual([8]);
  scratch.remove();
});
