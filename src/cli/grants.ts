import { Command } from 'commander';
import { RIGHTS } from '../storage/postgres/schema/service-rights.ts';
import { withSettings } from './command.ts';
import { UsageError } from './failures.ts';
import type { Io } from './io.ts';

const { schema_version: _version, ...TABLES } = RIGHTS;
const SHARED = ['USAGE ON SCHEMA animal_store', 'SELECT ON animal_store.schema_version'];

/** What the roles of docs/access.md may do, beside what all may do. */
const GRANTS: Readonly<Record<string, readonly string[]>> = {
  // A lock of the row (FOR UPDATE) needs the right to update one column.
  store_service: [
    'UPDATE (only_row) ON animal_store.schema_version',
    ...Object.entries(TABLES).map(
      ([table, rights]) => `${rights.join(', ')} ON animal_store.${table}`,
    ),
  ],
  // UPDATE is for --keep-ids and --categories.
  store_import: [
    'SELECT, INSERT, UPDATE ON animal_store.categories',
    'INSERT, UPDATE ON animal_store.pets',
    'INSERT ON animal_store.category_counts, animal_store.outbox',
    'SELECT, UPDATE ON animal_store.pets_id_seq',
  ],
  store_export: ['SELECT ON animal_store.pets, animal_store.categories'],
  store_copy: ['TABLES', 'SEQUENCES'].map((all) => `SELECT ON ALL ${all} IN SCHEMA animal_store`),
};

export function grantsCommand(io: Io): Command {
  const roles = Object.keys(GRANTS).join(', ');
  const command = new Command('grants')
    .description('print the SQL that gives a role of PostgreSQL its rights')
    .requiredOption('--role <role>', `one of ${roles}`);
  return withSettings(io, command, [], async ({ role }: { role: string }) => {
    const own = Object.hasOwn(GRANTS, role) && GRANTS[role];
    if (!own) throw new UsageError(`--role must be one of ${roles}.`);
    return io.result([...SHARED, ...own].map((right) => `GRANT ${right} TO ${role};`));
  });
}
