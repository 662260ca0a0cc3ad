import { RIGHTS } from './service-rights.ts';

const { schema_version: _version, ...TABLES } = RIGHTS;
const SHARED = ['USAGE ON SCHEMA animal_store', 'SELECT ON animal_store.schema_version'];

/** What each role of docs/access.md may do, beside what all may do. */
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

/** The roles of docs/access.md, beside the owner of the tables. */
export const ROLES = Object.keys(GRANTS);

/** The statements that give a role its rights. None if `ROLES` lacks it. */
export const grantsOf = (role: string): string[] =>
  ROLES.includes(role)
    ? [...SHARED, ...(GRANTS[role] ?? [])].map((right) => `GRANT ${right} TO ${role};`)
    : [];
