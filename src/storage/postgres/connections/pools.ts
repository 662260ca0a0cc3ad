import { StorageError } from '../../database.ts';
import { ConnectionSilent, isLost } from '../failures.ts';
import { Connection, type Rows, type Value } from './connection.ts';
import { type Deadline, remainingMs } from './deadline.ts';
import type { ConnectionOptions } from './options.ts';
import { pauseBeforeRetry } from './retry.ts';

/** A pool's connections: closed ones leave it by themselves. */
class Connections {
  readonly #open = new Set<Connection>();
  isEnded = false;

  constructor(
    readonly options: ConnectionOptions,
    readonly size: number,
    readonly onClosed: () => void = () => {},
  ) {}

  get hasRoom(): boolean {
    return this.#open.size < this.size;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.values();
  }

  /** @throws StorageError when all was closed: nobody would close another one. */
  add(): Connection {
    if (this.isEnded) throw new StorageError('unavailable', 'The database was closed.');
    const connection = new Connection(this.options, (reason) => {
      this.#open.delete(connection);
      if (reason instanceof ConnectionSilent) this.#closeIdle();
      this.onClosed();
    });
    this.#open.add(connection);
    return connection;
  }

  /** Where the network fell silent, each of them would let somebody wait for nothing before it is replaced. */
  #closeIdle(): void {
    for (const connection of this.#open) if (connection.pending === 0) connection.destroy();
  }

  async end(deadline: Deadline): Promise<void> {
    this.isEnded = true;
    await Promise.all([...this.#open].map((connection) => connection.end(deadline)));
  }
}

/** Connections for single statements that read: each is shared by many at once. */
export class SharedPool {
  readonly #connections: Connections;

  constructor(options: ConnectionOptions, size: number) {
    this.#connections = new Connections(options, size);
  }

  /** Runs a statement that changes nothing, on another connection if one is lost. @throws the driver's error. */
  async query<Row>(text: string, values: readonly Value[], deadline: Deadline): Promise<Rows<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.choose().query<Row>(text, values, deadline);
      } catch (error) {
        if (!isLost(error) || !(await pauseBeforeRetry(attempt, deadline))) throw error;
      }
    }
  }

  /** The connection with the least to do; a new one while all are busy and there is room. */
  choose(): Connection {
    let least: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.pending === 0) return connection;
      if (least === undefined || connection.pending < least.pending) least = connection;
    }
    return least !== undefined && !this.#connections.hasRoom ? least : this.#connections.add();
  }

  end(deadline: Deadline): Promise<void> {
    return this.#connections.end(deadline);
  }
}

interface Waiting {
  readonly resolve: (connection: Connection) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Connections for transactions: each belongs to one at a time, and who finds none waits in order. */
export class ExclusivePool {
  readonly #connections: Connections;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Waiting>();
  #taken = 0;
  #allGivenBack: (() => void) | undefined;

  constructor(options: ConnectionOptions, size: number) {
    this.#connections = new Connections(options, size, () => this.#serveNext());
  }

  /** @throws StorageError when none becomes free in time. */
  take(deadline: Deadline): Promise<Connection> {
    this.#taken += 1;
    const free = this.#free();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.#waiting.delete(waiting);
          this.#release();
          reject(new StorageError('unavailable', 'Every connection to the database is in use.'));
        },
        Math.max(0, remainingMs(deadline)),
      );
      const waiting: Waiting = { resolve, timer };
      this.#waiting.add(waiting);
    });
  }

  /** Takes a connection back, between transactions. */
  give(connection: Connection): void {
    if (connection.isOpen) this.#idle.push(connection);
    this.#release();
    this.#serveNext();
  }

  /** Waits until all connections were given back, then closes them. */
  async end(deadline: Deadline): Promise<void> {
    if (this.#taken > 0) {
      await new Promise<void>((resolve) => {
        this.#allGivenBack = resolve;
        setTimeout(resolve, Math.max(0, remainingMs(deadline))).unref();
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
    if (this.#connections.isEnded) return;
    const [next] = this.#waiting;
    const free = next && this.#free();
    if (next === undefined || free === undefined) return;
    this.#waiting.delete(next);
    clearTimeout(next.timer);
    next.resolve(free);
  }

  #release(): void {
    this.#taken -= 1;
    if (this.#taken === 0) this.#allGivenBack?.();
  }
}
