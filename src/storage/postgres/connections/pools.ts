import type { PoolMeasurements } from '../../../observe/measurements.ts';
import { StorageError } from '../../database.ts';
import { ConnectionTimedOut, isLost } from '../failures.ts';
import { Connection, type Rows, type Value } from './connection.ts';
import { type Deadline, remainingMs } from './deadline.ts';
import type { ConnectionOptions } from './options.ts';
import { pauseBeforeRetry } from './retry.ts';

/** The connections of a pool. A closed connection is removed automatically. */
class Connections {
  readonly #open = new Set<Connection>();
  isClosed = false;

  constructor(
    readonly options: ConnectionOptions,
    readonly size: number,
    readonly onClosed: () => void = () => {},
  ) {}

  get count(): number {
    return this.#open.size;
  }

  get hasRoom(): boolean {
    return this.#open.size < this.size;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.values();
  }

  /** @throws StorageError after `end` because the new connection would never be closed. */
  add(): Connection {
    if (this.isClosed) throw new StorageError('unavailable', 'The database was closed.');
    const connection = new Connection(this.options, (reason) => {
      this.#open.delete(connection);
      // The other connections are probably dead, too. Each would cause another timeout.
      if (reason instanceof ConnectionTimedOut) this.closeIdle();
      this.onClosed();
    });
    this.#open.add(connection);
    return connection;
  }

  closeIdle(): void {
    for (const connection of this.#open) if (connection.pending === 0) connection.destroy();
  }

  async end(deadline: Deadline): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.#open].map((connection) => connection.end(deadline)));
  }
}

/** Connections for single SELECT statements. Each runs several statements concurrently. */
export class SharedPool {
  readonly #connections: Connections;

  constructor(options: ConnectionOptions, size: number) {
    this.#connections = new Connections({ ...options, isShared: true }, size);
  }

  /** Runs a SELECT, and retries it on another connection if one is lost. @throws ConnectionLost, or the driver's error. */
  async query<Row>(text: string, values: readonly Value[], deadline: Deadline): Promise<Rows<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.choose().query<Row>(text, values, deadline);
      } catch (error) {
        if (!isLost(error) || !(await pauseBeforeRetry(attempt, deadline))) throw error;
      }
    }
  }

  /** Returns an idle connection, else a new one, else the connection with the fewest pending statements. */
  choose(): Connection {
    let least: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.pending === 0) return connection;
      if (least === undefined || connection.pending < least.pending) least = connection;
    }
    return least !== undefined && !this.#connections.hasRoom ? least : this.#connections.add();
  }

  /** A new connection may lead to the server that is the primary now. */
  closeIdle(): void {
    this.#connections.closeIdle();
  }

  /** Statements beyond the first one of a connection wait for the others. */
  measure(name: string): PoolMeasurements {
    const pending = [...this.#connections].map((connection) => connection.pending);
    const busy = pending.filter((statements) => statements > 0).length;
    const statements = pending.reduce((sum, count) => sum + count, 0);
    const { count: open, size: limit } = this.#connections;
    return { name, open, busy, waiting: statements - busy, limit };
  }

  end(deadline: Deadline): Promise<void> {
    return this.#connections.end(deadline);
  }
}

interface Waiter {
  readonly resolve: (connection: Connection) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Connections for transactions: one transaction at a time on each. Waiters are served in order. */
export class ExclusivePool {
  readonly #connections: Connections;
  readonly #idle: Connection[] = [];
  readonly #waiters = new Set<Waiter>();
  #acquired = 0;
  #onAllReleased: (() => void) | undefined;

  constructor(options: ConnectionOptions, size: number) {
    this.#connections = new Connections(options, size, () => this.#serveNext());
  }

  /** Acquires a connection. @throws StorageError if none is released before the deadline. */
  acquire(deadline: Deadline): Promise<Connection> {
    this.#acquired += 1;
    const free = this.#free();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise<Connection>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        this.#countRelease();
        reject(new StorageError('unavailable', 'Every connection to the database is in use.'));
      }, remainingMs(deadline));
      const waiter: Waiter = { resolve, timer };
      this.#waiters.add(waiter);
    });
  }

  /** Returns a connection to the pool, after its transaction. */
  release(connection: Connection): void {
    if (connection.isOpen) this.#idle.push(connection);
    this.#countRelease();
    this.#serveNext();
  }

  measure(name: string): PoolMeasurements {
    const { count: open, size: limit } = this.#connections;
    const waiting = this.#waiters.size;
    return { name, open, busy: Math.min(this.#acquired - waiting, open), waiting, limit };
  }

  /** Waits until all connections are released, then closes them. */
  async end(deadline: Deadline): Promise<void> {
    if (this.#acquired > 0) {
      await new Promise<void>((resolve) => {
        this.#onAllReleased = resolve;
        setTimeout(resolve, remainingMs(deadline)).unref();
      });
    }
    await this.#connections.end(deadline);
  }

  #free(): Connection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isOpen) return idle;
    }
    return this.#connections.hasRoom ? this.#connections.add() : undefined;
  }

  #serveNext(): void {
    if (this.#connections.isClosed) return;
    const [next] = this.#waiters;
    const free = next && this.#free();
    if (next === undefined || free === undefined) return;
    this.#waiters.delete(next);
    clearTimeout(next.timer);
    next.resolve(free);
  }

  #countRelease(): void {
    this.#acquired -= 1;
    if (this.#acquired === 0) this.#onAllReleased?.();
  }
}
