import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../clock.ts';
import type { Rows, Value } from './connection.ts';
import { type Deadline, deadlineIn } from './deadline.ts';
import type { SharedPool } from './pools.ts';

/** How long a read waits for a standby that is a little behind: the primary would answer sooner than after the next. */
const WAITS_MS = [1, 2, 4, 8];

/** How long a standby that lagged or failed is left alone. */
const LEFT_OUT_MS = 1_000;

/** How long it may take to answer before it counts as failed. */
const PATIENCE_MS = 1_000;

const HAS_REPLAYED = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS "hasReplayed"';

/** A copy of the primary that follows it: it may lag, or be gone, and then is left out for a while. */
export class Standby {
  readonly #pool: SharedPool;
  #usableFromMs = 0;

  constructor(pool: SharedPool) {
    this.#pool = pool;
  }

  get isUsable(): boolean {
    return monotonicMs() >= this.#usableFromMs;
  }

  /**
   * What a statement reads here, provided that everything up to `position` of the primary is
   * here, too; undefined when it is not, or when the standby does not answer it.
   */
  async queryAt<Row>(
    position: string,
    text: string,
    values: readonly Value[],
    deadline: Deadline,
  ): Promise<Rows<Row> | undefined> {
    const patience = Math.min(deadline, deadlineIn(PATIENCE_MS));
    try {
      for (const waitMs of [0, ...WAITS_MS]) {
        if (waitMs > 0) await sleep(waitMs);
        // On one connection, so that the rows are read after the position was.
        const connection = this.#pool.choose();
        const [[state], rows] = await Promise.all([
          connection.query<{ hasReplayed: boolean }>(HAS_REPLAYED, [position], patience),
          connection.query<Row>(text, values, patience),
        ]);
        if (state?.hasReplayed) return rows;
      }
    } catch {
      // Whatever it is: it is gone, ended a statement that stood in the way of replaying, or lags so
      // far that it has no such table yet. What is wrong with the statement itself the primary tells.
    }
    this.#usableFromMs = monotonicMs() + LEFT_OUT_MS;
    return undefined;
  }

  end(deadline: Deadline): Promise<void> {
    return this.#pool.end(deadline);
  }
}
