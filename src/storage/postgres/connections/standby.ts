import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../clock.ts';
import { messageOf } from '../../../observe/exception.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { Rows, Value } from './connection.ts';
import { type Deadline, deadlineIn } from './deadline.ts';
import type { SharedPool } from './pools.ts';

/** Pauses before retries on a standby that lags a little. After a longer wait, the primary would be faster. */
const RETRY_PAUSES_MS = [1, 2, 4, 8];

/** How long no read uses a standby that lagged or failed. */
const EXCLUDED_MS = 1_000;

/** After this time without a further failure, a standby is reported as used again. A shorter one would report each lag. */
const STABLE_MS = 3_000;

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

interface State {
  readonly isPrimary: boolean;
  readonly hasReplayed: boolean | null;
}

const STATE = `SELECT NOT pg_is_in_recovery() AS "isPrimary",
  pg_last_wal_replay_lsn() >= $1::pg_lsn AS "hasReplayed"`;

const LAGS = 'It has not replayed the last commits yet.';

/**
 * A standby of the primary. If it lags or fails, no read uses it for a while. If it is the primary now, no read uses it
 * either. That is no fault: one of the nodes is the primary.
 */
export class Standby {
  #usableFromMs = 0;
  /** The identity that it was last seen to share with its primary. */
  #lineage: string | undefined;
  /** When it was reported as left out, and when it failed last, on the monotonic clock. Undefined if it is in use. */
  #leftOut: { readonly sinceMs: number; lastMs: number } | undefined;

  /** @param database its URL without the password. */
  constructor(
    readonly pool: SharedPool,
    private readonly database: string,
    private readonly observe: Observe,
  ) {}

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
        const [own] = await this.pool.query<{ lineage: string }>(LINEAGE, [], standbyDeadline);
        if (own?.lineage !== lineage) throw new Error('It follows another primary.');
        this.#lineage = lineage;
      }
      for (const pauseMs of [0, ...RETRY_PAUSES_MS]) {
        if (pauseMs > 0) await sleep(pauseMs);
        // Both on one connection, so that the rows are read after the position.
        const connection = this.pool.choose();
        const [[state], rows] = await Promise.all([
          connection.query<State>(STATE, [lsn], standbyDeadline),
          connection.query<Row>(text, values, standbyDeadline),
        ]);
        if (state?.hasReplayed || state?.isPrimary) this.#reportUse();
        if (state?.isPrimary) return this.#exclude();
        if (state?.hasReplayed) return rows;
      }
      this.#leaveOut(LAGS);
    } catch (error) {
      // The standby is gone, follows another primary, had a recovery conflict, or lags so far that the table is missing. If
      // the statement itself is wrong, the primary reports it.
      this.#leaveOut(messageOf(error));
    }
    return undefined;
  }

  /** No read uses it for a while. */
  #exclude(): undefined {
    this.#usableFromMs = monotonicMs() + EXCLUDED_MS;
    return undefined;
  }

  /** Reported once. */
  #leaveOut(reason: string): void {
    this.#exclude();
    const nowMs = monotonicMs();
    if (this.#leftOut !== undefined) {
      this.#leftOut.lastMs = nowMs;
      return;
    }
    this.#leftOut = { sinceMs: nowMs, lastMs: nowMs };
    this.observe({ kind: 'standby_left_out', database: this.database, reason });
  }

  /** Reports that it responds as it should, if it was left out. */
  #reportUse(): void {
    if (this.#leftOut === undefined) return;
    const { sinceMs, lastMs } = this.#leftOut;
    const nowMs = monotonicMs();
    if (nowMs - lastMs < STABLE_MS) return;
    this.#leftOut = undefined;
    this.observe({
      kind: 'standby_used_again',
      database: this.database,
      unavailableSeconds: Math.round(nowMs - sinceMs) / 1000,
    });
  }
}
