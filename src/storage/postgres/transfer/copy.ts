import type { Int64 } from '../../../int64.ts';
import type {
  CatalogueSnapshot,
  CatalogueSource,
  CatalogueWriter,
  CellRow,
} from '../../../transfer/catalogue-copy.ts';
import { StorageError } from '../../database.ts';
import { insertionOf } from '../../insertion.ts';
import { columnOf, columnsOf, fieldsOf } from '../../rows.ts';
import { StoredEvents } from '../../stores/event-store.ts';
import { EVENTS, getTable, HIGHEST_IDS, PARTS, TABLES } from '../../tables.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { arraysOf, unnest } from '../statements/arrays.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import { LongTransaction } from '../transactions/long-transaction.ts';
import { requireNoOtherSession, requireUnused } from '../transactions/other-sessions.ts';

/** Opens a snapshot of the whole catalogue, to copy it. */
export async function openSource(options: ConnectionOptions): Promise<CatalogueSource> {
  // Before the snapshot: otherwise a service that stops in between could have made changes after it.
  await requireUnused(options);
  return inSnapshot(
    options,
    async (transaction) =>
      new PostgresSource(transaction, () =>
        inSnapshot(options, async (later) => {
          const fingerprint = await fingerprintOf(later);
          later.end();
          return fingerprint;
        }),
      ),
  );
}

const inSnapshot = <T>(
  options: ConnectionOptions,
  begin: (transaction: LongTransaction) => Promise<T>,
): Promise<T> =>
  LongTransaction.begin(options, 'REPEATABLE READ READ ONLY', async (transaction) => {
    await transaction.run('SELECT 1');
    return begin(transaction);
  });

/** A text that differs if the catalogue differs. The server computes it, so that no row is sent. */
async function fingerprintOf(transaction: LongTransaction): Promise<string> {
  const parts: unknown[] = [];
  for (const part of PARTS) {
    const [row] = await transaction.run<{ rows: number; hash: string | null }>(
      `SELECT count(*) AS rows, sum(hashtextextended(part::text, 0)) AS hash FROM (${selectOf(part)}) AS part`,
    );
    parts.push(part, row?.rows, row?.hash);
  }
  return parts.join(' ');
}

/** Opens the whole catalogue for writing. A service that starts during the copy waits before it creates its first API key. */
export const openWriter = (options: ConnectionOptions): Promise<CatalogueWriter> =>
  LongTransaction.begin(options, 'READ COMMITTED', async (transaction) => {
    await requireOwner(transaction);
    await transaction.run('SELECT 1 FROM animal_store.schema_version FOR UPDATE');
    return new PostgresCatalogueWriter(transaction);
  });

/** Restarting a sequence requires its owner. Refuses other roles before all rows are copied. */
async function requireOwner(transaction: LongTransaction): Promise<void> {
  const [row] = await transaction.run<{ role: string; isOwner: boolean }>(
    `SELECT current_user AS role, pg_has_role(relowner, 'USAGE') AS "isOwner"
    FROM pg_class WHERE oid = 'animal_store.pets_id_seq'::regclass`,
  );
  if (row?.isOwner) return;
  throw new StorageError(
    'refused',
    `The role "${row?.role}" does not own the tables in the schema animal_store, which a copy into them requires.`,
  );
}

class PostgresSnapshot implements CatalogueSnapshot {
  readonly parts = PARTS;

  constructor(readonly transaction: LongTransaction) {}

  async count(part: string): Promise<number> {
    const [row] = await this.transaction.run<{ count: number }>(
      `SELECT count(*) AS count FROM (${selectOf(part)}) AS part`,
    );
    return row?.count ?? 0;
  }

  async *rows(part: string): AsyncGenerator<CellRow[]> {
    for await (const batch of this.transaction.stream<object>(selectOf(part))) {
      yield batch.map((row) => Object.values(row));
    }
  }

  close(): void {
    this.transaction.end();
  }
}

class PostgresSource extends PostgresSnapshot implements CatalogueSource {
  /** @param readFingerprint reads the fingerprint of the catalogue as it is then. */
  constructor(
    transaction: LongTransaction,
    readonly readFingerprint: () => Promise<string>,
  ) {
    super(transaction);
  }

  async requireUnused(): Promise<void> {
    const isChanged = (await fingerprintOf(this.transaction)) !== (await this.readFingerprint());
    await requireNoOtherSession(this.transaction);
    if (isChanged)
      throw new StorageError(
        'refused',
        'The database was changed while it was copied: stop everything that uses it, and copy it again.',
      );
  }
}

class PostgresCatalogueWriter extends PostgresSnapshot implements CatalogueWriter {
  async add(part: string, rows: readonly CellRow[]): Promise<void> {
    if (part === HIGHEST_IDS) return this.#setHighestIds(rows);
    const table = getTable(part);
    const { columns, types, complete } = insertionOf(table, fieldsOf(table));
    await this.transaction.run(
      `INSERT INTO animal_store.${part} (${columns.join()}) SELECT * FROM ${unnest(types)}`,
      arraysOf(rows.map(complete), types.length),
    );
  }

  async commit(): Promise<void> {
    await new StoredEvents(new PostgresSql(this.transaction.run)).renew();
    await this.transaction.commitMany();
  }

  /** A rollback undoes `setval` only if the same transaction has restarted the sequence before. */
  async #setHighestIds(rows: readonly CellRow[]): Promise<void> {
    for (const [table, id] of rows) {
      const sequence = `animal_store.${getTable(String(table)).name}_id_seq`;
      await this.transaction.run(`ALTER SEQUENCE ${sequence} RESTART`);
      await this.transaction.run(`SELECT setval('${sequence}', $1::bigint)`, [id as Int64]);
    }
  }
}

/** Text is ordered by its bytes, as in SQLite. */
function selectOf(part: string): string {
  if (part === HIGHEST_IDS) {
    const highest = TABLES.filter(({ assignsIds }) => assignsIds).map(({ name }) =>
      name === EVENTS.name
        ? `SELECT '${name}', ${LAST_POSITION} + count(*) FROM animal_store.outbox HAVING ${LAST_POSITION} + count(*) > 0`
        : `SELECT '${name}' AS name, last_value AS seq FROM animal_store.${name}_id_seq WHERE is_called`,
    );
    return `SELECT * FROM (${highest.join(' UNION ALL ')}) AS highest ORDER BY name COLLATE "C"`;
  }
  const table = getTable(part);
  const order = table.key.map((field) => {
    const { column, type } = columnOf(table, field);
    return type === 'text' ? `${column} COLLATE "C"` : column;
  });
  return `SELECT ${columnsOf(table).join()} FROM ${rowsOf(part)} ORDER BY ${order.join()}`;
}

const LAST_POSITION =
  '(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM animal_store.events_id_seq)';

/** The events that are not in the feed yet have the positions that they would get next. A role that only copies cannot move them. */
function rowsOf(part: string): string {
  if (part !== EVENTS.name) return `animal_store.${part}`;
  const [id, ...others] = columnsOf(EVENTS);
  const next = `${LAST_POSITION} + row_number() OVER (ORDER BY id) AS ${id}`;
  return `(TABLE animal_store.events UNION ALL SELECT ${next}, ${others.join()} FROM animal_store.outbox) AS events`;
}
