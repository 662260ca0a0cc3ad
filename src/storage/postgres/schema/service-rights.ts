import { StorageError } from '../../database.ts';
import { Connection } from '../connections/connection.ts';
import { deadlineIn } from '../connections/deadline.ts';
import type { ConnectionOptions } from '../connections/options.ts';

const TIMEOUT_MS = 10_000;

/** The rights of a role that serves requests, by table of the schema animal_store. The command `grants` prints them. */
export const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  schema_version: ['SELECT', 'UPDATE'],
  categories: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  pets: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  category_counts: ['SELECT', 'INSERT', 'DELETE'],
  orders: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  api_keys: ['SELECT', 'INSERT', 'UPDATE'],
  operation_usage: ['SELECT', 'INSERT', 'UPDATE'],
  daily_usage: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  idempotency_records: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  outbox: ['SELECT', 'INSERT', 'DELETE'],
  events: ['SELECT', 'INSERT', 'DELETE'],
  event_feed: ['SELECT', 'UPDATE'],
  webhook_endpoints: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  webhook_secrets: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  webhook_deliveries: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
};

const NEEDED = Object.entries(RIGHTS).flatMap(([table, rights]) =>
  rights.map((right) => `('animal_store.${table}', '${right}')`),
);

/** A row is locked (FOR UPDATE) with the right to update one column. The version itself may stay protected. */
const SELECT_MISSING = `SELECT name, privilege, current_user AS role
  FROM (VALUES ${NEEDED.join()}) AS needed (name, privilege)
  WHERE NOT CASE name
    WHEN 'animal_store.schema_version' THEN has_any_column_privilege(name, privilege)
    ELSE has_table_privilege(name, privilege)
  END`;

interface MissingRight {
  readonly name: string;
  readonly privilege: string;
  readonly role: string;
}

/**
 * Refuses a role that could not execute every request. Resolves with whether the connection uses TLS.
 * @throws StorageError, or the driver's error.
 */
export async function requireServiceRights(options: ConnectionOptions): Promise<boolean> {
  const connection = new Connection(options);
  try {
    const [missing, ...others] = await connection.query<MissingRight>(
      SELECT_MISSING,
      [],
      deadlineIn(TIMEOUT_MS),
    );
    if (missing === undefined) return connection.isEncrypted;
    const { role, privilege, name } = missing;
    const more = others.length === 0 ? '' : ` and ${others.length} other rights`;
    throw new StorageError(
      'refused',
      `The role "${role}" lacks the right ${privilege} on ${name}${more}: see "Roles and grants" in docs/access.md.`,
    );
  } finally {
    connection.destroy();
  }
}
