import type { Value } from '../connections/connection.ts';
import { type Deadline, deadlineIn } from '../connections/deadline.ts';
import type { SharedPool } from '../connections/pools.ts';
import { lineageOf, type Position, type Standby } from '../connections/standby.ts';
import { toStorageError } from '../failures.ts';
import type { Run } from './transactions.ts';

/** The WAL position of the primary. With `synchronous_commit` off, a commit is acknowledged before its WAL is flushed. */
const POSITION = `SELECT (CASE current_setting('synchronous_commit')
  WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END)::text AS lsn,
  ${lineageOf('left(pg_walfile_name(pg_current_wal_flush_lsn()), 8)')} AS lineage`;

/**
 * Sends reads to a standby that has caught up, else to the primary.
 *
 * A read must see all acknowledged writes, of every instance. A read first asks the primary for its WAL position. The rows of
 * a standby count only if the standby has replayed the WAL up to there. Simultaneous reads share one query for the position.
 */
export class ReadRouter {
  #lastStandby = 0;
  #nextPosition: Promise<Position> | undefined;

  constructor(
    private readonly primary: SharedPool,
    private readonly standbys: readonly Standby[],
    private readonly timeoutMs: number,
  ) {}

  /** @throws StorageError */
  readonly run: Run = async <Row>(text: string, values: readonly Value[] = []) => {
    const deadline = deadlineIn(this.timeoutMs);
    try {
      const standby = this.#nextStandby();
      if (standby !== undefined) {
        const position = await this.#position(deadline);
        const rows = await standby.queryAt<Row>(position, text, values, deadline);
        if (rows !== undefined) return rows;
      }
      return await this.primary.query<Row>(text, values, deadline);
    } catch (error) {
      throw toStorageError(error);
    }
  };

  /** Round robin over the usable standbys. */
  #nextStandby(): Standby | undefined {
    for (let tried = 0; tried < this.standbys.length; tried += 1) {
      this.#lastStandby = (this.#lastStandby + 1) % this.standbys.length;
      const standby = this.standbys[this.#lastStandby];
      if (standby?.isUsable) return standby;
    }
    return undefined;
  }

  /** The position of the primary, read after this call. Calls in one turn of the event loop share a query. */
  #position(deadline: Deadline): Promise<Position> {
    this.#nextPosition ??= new Promise(setImmediate).then(() => {
      this.#nextPosition = undefined;
      return this.#readPosition(deadline);
    });
    return this.#nextPosition;
  }

  async #readPosition(deadline: Deadline): Promise<Position> {
    const [row] = await this.primary.query<Position>(POSITION, [], deadline);
    if (row === undefined) throw new Error('The primary returned no position.');
    return row;
  }
}
