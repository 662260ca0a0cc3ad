import type { Cause } from '../../../events/cause.ts';
import type { CatalogueTransfer } from '../../../transfer/catalogue-transfer.ts';
import { Recording } from '../../recording.ts';
import type { CellRow } from '../../rows.ts';
import type { Sql, Statement } from '../../sql.ts';
import { exportPets } from '../../transfer/export-pets.ts';
import { STAGED, StagedImport, type Staging } from '../../transfer/staged-import.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { arraysOf, unnest } from '../statements/arrays.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import { appendToOutbox } from '../stores/outbox.ts';
import { LongTransaction, SNAPSHOT } from '../transactions/long-transaction.ts';
import { openSource, openWriter } from './copy.ts';

const CREATE = `CREATE TEMPORARY TABLE staged (position bigint PRIMARY KEY, ${STAGED.definitions}, UNIQUE (id))
  ON COMMIT DROP`;

const STAGE = `INSERT INTO staged (${STAGED.columns.join(', ')}) SELECT * FROM ${unnest(STAGED.types)}
  ON CONFLICT (id) DO NOTHING`;

/** Each transfer has its own connection, so that it takes none from the pools. */
export const postgresTransfer = (options: ConnectionOptions): CatalogueTransfer => ({
  beginImport: (cause) =>
    LongTransaction.begin(options, 'READ COMMITTED', async (transaction) => {
      await transaction.run(CREATE);
      return StagedImport.begin(new PostgresStaging(transaction), cause);
    }),
  exportPets: () =>
    exportPets(() =>
      LongTransaction.begin(options, SNAPSHOT, async (transaction) => ({
        sql: new PostgresSql(transaction.run),
        close: () => transaction.end(),
      })),
    ),
  openSource: () => openSource(options),
  openWriter: () => openWriter(options),
});

class PostgresStaging implements Staging {
  readonly sql: PostgresSql;

  constructor(readonly transaction: LongTransaction) {
    this.sql = new PostgresSql(transaction.run);
  }

  async add(rows: readonly CellRow[]): Promise<number> {
    return (await this.transaction.run(STAGE, arraysOf(rows, STAGED.columns.length))).count;
  }

  async commit(
    cause: () => Cause,
    keepsIds: boolean,
    work: (sql: Sql) => Promise<number>,
  ): Promise<number> {
    const { run } = this.transaction;
    if (keepsIds) await run('LOCK TABLE animal_store.pets IN SHARE ROW EXCLUSIVE MODE');
    const recording = new Recording(cause());
    const count = await work(new PostgresSql(run, recording));
    // Others have recorded events while the animals were added.
    const { at } = cause();
    await appendToOutbox(
      run,
      recording.events.map((event) => ({ ...event, at })),
    );
    // Last: a rollback does not undo it.
    if (keepsIds) await run("SELECT setval('animal_store.pets_id_seq', max(id)) FROM staged");
    await this.transaction.commitMany();
    return count;
  }

  addAll(statement: Statement): Promise<number> {
    return this.sql.change(statement);
  }

  close(): void {
    this.transaction.end();
  }
}
