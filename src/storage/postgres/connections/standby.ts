import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../clock.ts';
import type { Rows, Value } from './connection.ts';
import { type Deadline, deadlineIn } from './deadline.ts';
import type { SharedPool } from './pools.ts';

/** How long a read waits for a standby that is a little behind: the primary would answer sooner than after the next. */
const WAITS_MS = [1, 2, 4, 8];

/** How long a standby that lagged or failed is left alone. */
const LEFT_OUT_MS = 1_000;

/** How long it may take to answer before it counts as failed. */
const PATIENCE_MS = 1_000;

/** How far a primary has written, and which one it is. */
export interface Position {
  readonly lsn: string;
  readonly lineage: string;
}

/**
 * In SQL, what a standby has to share with its primary: cluster, database, and timeline. A promotion
 * begins a new timeline: a standby that does not follow it keeps what was lost.
 */
export const lineageOf = (timeline: string): string => `concat_ws('/',
  (SELECT system_identifier FROM pg_control_system()), current_database(), ${timeline})`;

/** Of the last checkpoint: after a promotion a standby is left out until it has made one. */
const LINEAGE = `SELECT ${lineageOf(
  "(SELECT lpad(upper(to_hex(timeline_id)), 8, '0') FROM pg_control_checkpoint())",
)} AS lineage`;

const HAS_REPLAYED = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS "hasReplayed"';

/** A copy of the primary that follows it: it may lag, or be gone, and then is left out for a while. */
export class Standby {
  readonly #pool: SharedPool;
  #usableFromMs = 0;
  /** What it was seen to share with its primary. */
  #lineage: string | undefined;

  constructor(pool: SharedPool) {
    this.#pool = pool;
  }

  get isUsable(): boolean {
    return monotonicMs() >= this.#usableFromMs;
  }

  /**
   * What a statement reads here, provided that everything up to the position of the primary is
   * here, too, and nothing else; undefined when it is not, or when the standby does not answer it.
   */
  async queryAt<Row>(
    { lsn, lineage }: Position,
    text: string,
    values: readonly Value[],
    deadline: Deadline,
  ): Promise<Rows<Row> | undefined> {
    const patience = Math.min(deadline, deadlineIn(PATIENCE_MS));
    try {
      if (this.#lineage !== lineage) {
        const [own] = await this.#pool.query<{ lineage: string }>(LINEAGE, [], patience);
        if (own?.lineage !== lineage) throw new Error('It follows another primary.');
        this.#lineage = lineage;
      }
      for (const waitMs of [0, ...WAITS_MS]) {
        if (waitMs > 0) await sleep(waitMs);
        // On one connection, so that the rows are read after the position was.
        const connection = this.#pool.choose();
        const [[state], rows] = await Promise.all([
          connection.query<{ hasReplayed: boolean }>(HAS_REPLAYED, [lsn], patience),
          connection.query<Row>(text, values, patience),
        ]);
        if (state?.hasReplayed) return rows;
      }
    } catch {
      // Whatever it is: it is gone, follows another primary, ended a statement that stood in the way of replaying, or lags so
      // far that it has no such table yet. What is wrong with the statement itself the primary tells.
    }
    this.#usableFromMs = monotonicMs() + LEFT_OUT_MS;
    return undefined;
  }

  end(deadline: Deadline): Promise<void> {
    return this.#pool.end(deadline);
  }
}
