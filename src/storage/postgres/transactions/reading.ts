import type { Value } from '../connections/connection.ts';
import { type Deadline, deadlineIn } from '../connections/deadline.ts';
import type { SharedPool } from '../connections/pools.ts';
import { lineageOf, type Position, type Standby } from '../connections/standby.ts';
import { toStorageError } from '../failures.ts';
import type { Run } from './transactions.ts';

/** How far the primary has written. Without `synchronous_commit` it acknowledges a commit before it has flushed it. */
const POSITION = `SELECT (CASE current_setting('synchronous_commit')
  WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END)::text AS lsn,
  ${lineageOf('left(pg_walfile_name(pg_current_wal_flush_lsn()), 8)')} AS lineage`;

/**
 * Reads from a standby that has caught up, else from the primary.
 *
 * Whoever was told of a write must see it, whichever instance wrote it: so a read first learns how
 * far the primary has written, and only takes a standby's answer when that standby has replayed at
 * least as much. Reads that arrive together learn it together.
 */
export class Reading {
  readonly #primary: SharedPool;
  readonly #standbys: readonly Standby[];
  readonly #timeoutMs: number;
  #turn = 0;
  #nextPosition: Promise<Position> | undefined;

  constructor(primary: SharedPool, standbys: readonly Standby[], timeoutMs: number) {
    this.#primary = primary;
    this.#standbys = standbys;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws StorageError */
  readonly run: Run = async <Row>(text: string, values: readonly Value[] = []) => {
    const deadline = deadlineIn(this.#timeoutMs);
    try {
      const standby = this.#standbyInTurn();
      if (standby !== undefined) {
        const position = await this.#position(deadline);
        const rows = await standby.queryAt<Row>(position, text, values, deadline);
        if (rows !== undefined) return rows;
      }
      return await this.#primary.query<Row>(text, values, deadline);
    } catch (error) {
      throw toStorageError(error);
    }
  };

  #standbyInTurn(): Standby | undefined {
    for (let tried = 0; tried < this.#standbys.length; tried += 1) {
      this.#turn = (this.#turn + 1) % this.#standbys.length;
      const standby = this.#standbys[this.#turn];
      if (standby?.isUsable) return standby;
    }
    return undefined;
  }

  /** How far the primary has written, asked after now: one question for all who wait for the same turn. */
  #position(deadline: Deadline): Promise<Position> {
    this.#nextPosition ??= new Promise(setImmediate).then(() => {
      this.#nextPosition = undefined;
      return this.#askPosition(deadline);
    });
    return this.#nextPosition;
  }

  async #askPosition(deadline: Deadline): Promise<Position> {
    const [row] = await this.#primary.query<Position>(POSITION, [], deadline);
    if (row === undefined) throw new Error('The primary told no position.');
    return row;
  }
}
