import { monotonicMs } from '../../../clock.ts';

/** How often the server is asked, and how long a statement runs before. */
const INTERVAL_MS = 250;

/** A transaction that may wait for a lock. */
interface Watched {
  /** The process of the server, undefined as long as there is none. */
  readonly serverPid: number | undefined;
  /** When the statement was sent that has no result yet, on the monotonic clock. Undefined if there is none. */
  readonly sentMs: number | undefined;
  /** Called when its statement waits for a lock. @param sentMs when this statement was sent. */
  onLocked(sentMs: number): void;
}

/** Returns those of these processes of the server that wait for a lock. */
type FindLocked = (pids: readonly number[]) => Promise<readonly number[]>;

/**
 * Finds transactions that wait for the lock of a row or table. A statement that takes long does not say why, so the server
 * is asked, but only while a statement takes long.
 */
export class LockWatch {
  readonly #transactions = new Set<Watched>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isAsking = false;

  constructor(private readonly findLocked: FindLocked) {}

  add(transaction: Watched): void {
    this.#transactions.add(transaction);
    this.#timer ??= setInterval(() => void this.#ask(), INTERVAL_MS).unref();
  }

  delete(transaction: Watched): void {
    this.#transactions.delete(transaction);
  }

  async #ask(): Promise<void> {
    if (this.#transactions.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const latestMs = monotonicMs() - INTERVAL_MS;
    const late = [...this.#transactions].filter(
      ({ sentMs, serverPid }) =>
        sentMs !== undefined && sentMs <= latestMs && serverPid !== undefined,
    );
    if (late.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    const asked = late.map(({ serverPid, sentMs }) => ({ pid: serverPid ?? 0, sentMs }));
    // A database that does not tell is no reason to fail.
    const locked = new Set(await this.findLocked(asked.map(({ pid }) => pid)).catch(() => []));
    this.#isAsking = false;
    for (const [index, { pid, sentMs }] of asked.entries()) {
      const transaction = late[index];
      // In the meantime, the statement may have got its result.
      if (locked.has(pid) && sentMs !== undefined && transaction?.sentMs === sentMs)
        transaction.onLocked(sentMs);
    }
  }
}
