import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../clock.ts';
import type { Rows, Value } from './connection.ts';
import { type Deadline, deadlineIn } from './deadline.ts';
import type { SharedPool } from './pools.ts';

/** Pauses before retries on a standby that lags a little. After a longer wait, the primary would be faster. */
const RETRY_PAUSES_MS = [1, 2, 4, 8];

/** How long no read uses a standby that lagged or failed. */
const EXCLUDED_MS = 1_000;

/** How long a standby may take to respond. */
const TIMEOUT_MS = 1_000;

/** The WAL position of a primary, and its identity. */
export interface Position {
  readonly lsn: string;
  readonly lineage: string;
}

/**
 * SQL for the identity that a standby shares with its primary: cluster, database and timeline. A promotion
 * starts a new timeline: a standby that does not follow it may contain commits that the primary lost.
 */
export const lineageOf = (timeline: string): string => `concat_ws('/',
  (SELECT system_identifier FROM pg_control_system()), current_database(), ${timeline})`;

/** From the last checkpoint: after a promotion no read uses a standby until its next restartpoint. */
const LINEAGE = `SELECT ${lineageOf(
  "(SELECT lpad(upper(to_hex(timeline_id)), 8, '0') FROM pg_control_checkpoint())",
)} AS lineage`;

const HAS_REPLAYED = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS "hasReplayed"';

/** A standby of the primary. If it lags or fails, no read uses it for a while. */
export class Standby {
  readonly #pool: SharedPool;
  #usableFromMs = 0;
  /** The identity that it was last seen to share with its primary. */
  #lineage: string | undefined;

  constructor(pool: SharedPool) {
    this.#pool = pool;
  }

  get isUsable(): boolean {
    return monotonicMs() >= this.#usableFromMs;
  }

  /**
   * Runs a SELECT if the standby follows this primary and has replayed its WAL up to this position.
   * Returns undefined if not, or if the standby fails.
   */
  async queryAt<Row>(
    { lsn, lineage }: Position,
    text: string,
    values: readonly Value[],
    deadline: Deadline,
  ): Promise<Rows<Row> | undefined> {
    const standbyDeadline = Math.min(deadline, deadlineIn(TIMEOUT_MS));
    try {
      if (this.#lineage !== lineage) {
        const [own] = await this.#pool.query<{ lineage: string }>(LINEAGE, [], standbyDeadline);
        if (own?.lineage !== lineage) throw new Error('It follows another primary.');
        this.#lineage = lineage;
      }
      for (const pauseMs of [0, ...RETRY_PAUSES_MS]) {
        if (pauseMs > 0) await sleep(pauseMs);
        // Both on one connection, so that the rows are read after the position.
        const connection = this.#pool.choose();
        const [[state], rows] = await Promise.all([
          connection.query<{ hasReplayed: boolean }>(HAS_REPLAYED, [lsn], standbyDeadline),
          connection.query<Row>(text, values, standbyDeadline),
        ]);
        if (state?.hasReplayed) return rows;
      }
    } catch {
      // The standby is gone, follows another primary, canceled the statement because of a recovery conflict, or lags so
      // far that the table is missing. If the statement itself is wrong, the primary reports it.
    }
    this.#usableFromMs = monotonicMs() + EXCLUDED_MS;
    return undefined;
  }

  end(deadline: Deadline): Promise<void> {
    return this.#pool.end(deadline);
  }
}
