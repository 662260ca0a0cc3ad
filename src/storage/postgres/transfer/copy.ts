import type { Int64 } from '../../../int64.ts';
import type {
  CatalogueReplica,
  CatalogueSnapshot,
  CellRow,
} from '../../../transfer/catalogue-copy.ts';
import { type ColumnType, HIGHEST_IDS, PARTS, TABLES_WITH_IDS, tableNamed } from '../../tables.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { Session } from '../connections/session.ts';
import { arrayOf } from '../statements/page-query.ts';

/** Everything in the database, as it is at this moment. */
export const openSnapshot = (options: ConnectionOptions): Promise<CatalogueSnapshot> =>
  Session.begin(options, 'REPEATABLE READ READ ONLY', async (session) => {
    await session.run('SELECT 1');
    return new PostgresSnapshot(session);
  });

/** Everything in the database, to be written. A service that starts meanwhile waits with its first key. */
export const openReplica = (options: ConnectionOptions): Promise<CatalogueReplica> =>
  Session.begin(options, 'READ COMMITTED', async (session) => {
    await session.run('SELECT 1 FROM animal_store.schema_version FOR UPDATE');
    return new PostgresReplica(session);
  });

class PostgresSnapshot implements CatalogueSnapshot {
  readonly parts = PARTS;

  constructor(readonly session: Session) {}

  async count(part: string): Promise<number> {
    const [row] = await this.session.run<{ count: number }>(
      `SELECT count(*) AS count FROM (${selectOf(part)}) AS part`,
    );
    return row?.count ?? 0;
  }

  async *rows(part: string): AsyncGenerator<CellRow[]> {
    for await (const batch of this.session.stream<object>(selectOf(part))) {
      yield batch.map((row) => Object.values(row));
    }
  }

  close(): void {
    this.session.end();
  }
}

class PostgresReplica extends PostgresSnapshot implements CatalogueReplica {
  async add(part: string, rows: readonly CellRow[]): Promise<void> {
    if (part === HIGHEST_IDS) return this.#setHighestIds(rows);
    const { name, columns } = tableNamed(part);
    const types = Object.values(columns).map((type) => POSTGRES_TYPES[type]);
    await this.session.run(
      `INSERT INTO animal_store.${name} (${Object.keys(columns).join()})
      SELECT * FROM unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join()})`,
      types.map((_type, index) => arrayOf(rows.map((row) => toElement(row[index] ?? null)))),
    );
  }

  async commit(): Promise<void> {
    await this.session.run('COMMIT');
  }

  /** What `setval` does is never rolled back, but on a sequence that the same transaction has restarted. */
  async #setHighestIds(rows: readonly CellRow[]): Promise<void> {
    for (const [table, id] of rows) {
      const sequence = `animal_store.${tableNamed(String(table)).name}_id_seq`;
      await this.session.run(`ALTER SEQUENCE ${sequence} RESTART`);
      await this.session.run(`SELECT setval('${sequence}', $1::bigint)`, [id as Int64]);
    }
  }
}

const POSTGRES_TYPES: Record<ColumnType, string> = {
  integer: 'bigint',
  text: 'text',
  bytes: 'bytea',
};

const toElement = (cell: CellRow[number]): Int64 | string | null =>
  cell instanceof Uint8Array ? `\\x${Buffer.from(cell).toString('hex')}` : cell;

/** Text is ordered by its bytes, as in every other engine. */
function selectOf(part: string): string {
  if (part === HIGHEST_IDS) {
    const highest = TABLES_WITH_IDS.map(
      (table) =>
        `SELECT '${table}' AS name, last_value AS seq FROM animal_store.${table}_id_seq WHERE is_called`,
    );
    return `SELECT * FROM (${highest.join(' UNION ALL ')}) AS highest ORDER BY name COLLATE "C"`;
  }
  const { name, columns, key } = tableNamed(part);
  const order = key.map((column) =>
    columns[column] === 'text' ? `${column} COLLATE "C"` : column,
  );
  return `SELECT ${Object.keys(columns).join()} FROM animal_store.${name} ORDER BY ${order.join()}`;
}
