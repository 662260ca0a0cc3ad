import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { monotonicMs } from '../../../clock.ts';
import type { Observe } from '../../../observe/observation.ts';
import { StorageError } from '../../database.ts';
import { IdsUsedUp } from '../failures.ts';

/**
 * With less free space a write may fail, so one is tried. A full disk counts as full until it has more: a write of the
 * service is small, and may find space in the WAL where writes of clients find none.
 */
const LOW_BYTES = 64 * 1024;

/** How often a write is tried while the disk is full, and while little space is left. */
const RETRY_MS = 1_000;
const LOW_RETRY_MS = 10_000;

/**
 * Knows whether writes fail because the disk is full. Reports `writes_unavailable` once when they begin to
 * fail, and `writes_available` once when they work again.
 */
export class FullDisk {
  readonly #folder: string;
  /** When writes began to fail, on the monotonic clock; undefined while they work. */
  #sinceMs: number | undefined;
  #failedWrites = 0;
  #isTrying = false;
  #nextTryMs = 0;

  /**
   * @param tryWrite writes durably, and changes no data.
   * @param nowMs the monotonic clock.
   */
  constructor(
    path: string,
    private readonly tryWrite: () => Promise<unknown>,
    private readonly observe: Observe,
    private readonly nowMs: () => number = monotonicMs,
  ) {
    this.#folder = dirname(path);
  }

  get isFull(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** Receives each failure of a batch of writes. */
  readonly onFailure = (failure: unknown, writes: number): void => {
    if (!isFull(failure)) return;
    this.#failedWrites += writes;
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = this.nowMs();
    this.#nextTryMs = this.#sinceMs + RETRY_MS;
    this.observe({ kind: 'writes_unavailable', reason: failure.message });
  };

  /** Called periodically. Tries a write when the disk gets low, and when a full disk has space again. Otherwise it costs 2 µs. */
  check(): void {
    const nowMs = this.nowMs();
    if (nowMs < this.#nextTryMs || this.#isTrying || this.isFull === this.#isLow()) return;
    this.#nextTryMs = nowMs + (this.isFull ? RETRY_MS : LOW_RETRY_MS);
    this.#isTrying = true;
    this.tryWrite()
      .then(
        () => this.#succeeded(),
        (failure: unknown) => {
          // `onFailure` has counted it, but no client sent it.
          if (isFull(failure)) this.#failedWrites -= 1;
        },
      )
      .finally(() => {
        this.#isTrying = false;
      });
  }

  #isLow(): boolean {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize < LOW_BYTES;
  }

  #succeeded(): void {
    if (this.#sinceMs === undefined) return;
    const unavailableSeconds = Math.round(this.nowMs() - this.#sinceMs) / 1000;
    const failedWrites = this.#failedWrites;
    this.#sinceMs = undefined;
    this.#failedWrites = 0;
    this.observe({ kind: 'writes_available', unavailableSeconds, failedWrites });
  }
}

const isFull = (failure: unknown): failure is StorageError =>
  failure instanceof StorageError && failure.failure === 'full' && !(failure instanceof IdsUsedUp);
