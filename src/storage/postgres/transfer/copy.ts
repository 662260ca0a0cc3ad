import type { Int64 } from '../../../int64.ts';
import type { CatalogueSource, CatalogueWriter } from '../../../transfer/catalogue-copy.ts';
import { StorageError } from '../../database.ts';
import type { CellRow } from '../../rows.ts';
import { getTable, PARTS } from '../../tables.ts';
import { CatalogueParts, WrittenParts } from '../../transfer/catalogue-parts.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { arraysOf, unnest } from '../statements/arrays.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import { LongTransaction, SNAPSHOT } from '../transactions/long-transaction.ts';
import { requireNoOtherSession, requireUnused } from '../transactions/other-sessions.ts';

/** Opens a snapshot of the whole catalogue, to copy it. */
export async function openSource(options: ConnectionOptions): Promise<CatalogueSource> {
  // Before the snapshot: otherwise a service that stops in between could have made changes after it.
  await requireUnused(options);
  return PostgresSource.open(options);
}

/** Opens the whole catalogue for writing. A service that starts during the copy waits before it creates its first API key. */
export const openWriter = (options: ConnectionOptions): Promise<CatalogueWriter> =>
  LongTransaction.begin(options, 'READ COMMITTED', async (transaction) => {
    await requireOwner(transaction);
    const sql = new PostgresSql(transaction.run);
    await sql.takeTurn();
    return new WrittenParts(sql, () => transaction.end(), {
      async add({ table, columns, types }, rows) {
        await transaction.run(
          `INSERT INTO animal_store.${table.name} (${columns.join()}) SELECT * FROM ${unnest(types)}`,
          arraysOf(rows, types.length),
        );
      },
      setHighestIds: (rows) => setHighestIds(transaction, rows),
      commit: () => transaction.commitMany(),
    });
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

class PostgresSource extends CatalogueParts implements CatalogueSource {
  static open(options: ConnectionOptions): Promise<PostgresSource> {
    return LongTransaction.begin(
      options,
      SNAPSHOT,
      async (transaction) => new PostgresSource(transaction, options),
    );
  }

  private constructor(
    readonly transaction: LongTransaction,
    readonly options: ConnectionOptions,
  ) {
    super(new PostgresSql(transaction.run), () => transaction.end());
  }

  /** A text that differs if the catalogue differs. The server computes it, so that no row is sent. */
  async #fingerprint(): Promise<string> {
    const parts: unknown[] = [];
    for (const part of PARTS) {
      const select = `SELECT count(*), sum(hashtextextended(part::text, 0)) FROM (${this.selectPart(part)}) AS part`;
      parts.push(part, ...(await this.sql.cells(select)).flat());
    }
    return parts.join(' ');
  }

  async requireUnused(): Promise<void> {
    const fingerprint = await this.#fingerprint();
    const later = await PostgresSource.open(this.options);
    const isChanged = (await later.#fingerprint().finally(later.close)) !== fingerprint;
    await requireNoOtherSession(this.transaction);
    if (isChanged)
      throw new StorageError(
        'refused',
        'The database was changed while it was copied: stop everything that uses it, and copy it again.',
      );
  }
}

/** A rollback undoes `setval` only if the same transaction has restarted the sequence before. */
async function setHighestIds(
  transaction: LongTransaction,
  rows: readonly CellRow[],
): Promise<void> {
  for (const [table, id] of rows) {
    const sequence = `animal_store.${getTable(String(table)).name}_id_seq`;
    await transaction.run(`ALTER SEQUENCE ${sequence} RESTART`);
    await transaction.run(`SELECT setval('${sequence}', $1::bigint)`, [id as Int64]);
  }
}
