import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import { int64FromBigInt } from '../../../int64.ts';
import { ConnectionLost, ConnectionSilent, fromDriver, SessionNotOwn } from '../failures.ts';
import { type Deadline, remainingMs } from './deadline.ts';
import type { ConnectionOptions } from './options.ts';
import {
  LOOK_AT_SESSION,
  type SessionSetting,
  startupParameters,
  whyNotOwn,
  whyRefused,
} from './start-up.ts';

/** Integers as decimal digits, so that 64 bits stay exact; times and the like do not occur. */
export type Value = string | number | bigint | boolean | null | Uint8Array;

/** The rows of an answer; `count` is how many the statement read or changed, `command` its tag. */
export type Rows<Row> = readonly Row[] & { readonly count: number; readonly command: string };

/** An 8-byte integer as everything else here speaks of it: a number where that is exact. */
const INT8 = {
  to: 20,
  from: [20],
  serialize: String,
  parse(digits: string) {
    const value = Number(digits);
    return Number.isSafeInteger(value) ? value : int64FromBigInt(BigInt(digits));
  },
};

/**
 * One connection, which lives once: it is opened with its first statement, and what is lost stays
 * lost. So a statement never runs on another connection than the one before it, outside of the
 * transaction that it belongs to. Statements are sent without waiting for the answers to earlier ones.
 */
export class Connection {
  readonly #sql: postgres.Sql;
  readonly #options: ConnectionOptions;
  readonly #onClosed: (reason: unknown) => void;
  #socket: Socket | undefined;
  #isOpen = true;
  readonly #waiting = new Set<(error: unknown) => void>();
  /** Statements that are sent once the session is known to be our own; undefined from then on. */
  #held: (() => void)[] | undefined;
  #allAnswered: (() => void) | undefined;

  /** @param onClosed is called once, when the connection is of no more use, with why it is not. */
  constructor(options: ConnectionOptions, onClosed: (reason: unknown) => void = () => {}) {
    this.#options = options;
    this.#held = options.prepared ? [] : undefined;
    this.#onClosed = onClosed;
    this.#sql = postgres(options.url, {
      max: 1,
      fetch_types: false,
      max_lifetime: null,
      connection: startupParameters(options),
      types: { int8: INT8 },
      onnotice: () => {},
      onclose: () => this.destroy(),
      // The driver's own sockets cannot be reached: one that no longer answers could not be closed.
      socket: ({ host: [host], port: [port], path }: DriverOptions) => {
        // The driver asks for another one when the first was closed before it could be used.
        if (this.#socket !== undefined) this.destroy();
        if (!this.#isOpen) throw new ConnectionLost('The connection was given up.');
        this.#socket = path ? connect(path) : connect({ host: host ?? '', port: port ?? 0 });
        this.#socket.on('error', (error) => this.destroy(fromDriver(error)));
        // The driver asks for the name that a certificate has to be for.
        return Object.assign(this.#socket, { host });
      },
    } as postgres.Options<Record<string, postgres.PostgresType>>);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** How many statements wait for their answer. */
  get pending(): number {
    return this.#waiting.size;
  }

  /**
   * Runs one statement. When no answer comes in time the connection is closed, since nobody knows
   * what becomes of it.
   * @throws ConnectionLost, or the driver's error.
   */
  query<Row>(text: string, values: readonly Value[], deadline: Deadline): Promise<Rows<Row>> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) {
        reject(new ConnectionLost('The connection is closed.'));
        return;
      }
      const timer = setTimeout(
        () => this.destroy(new ConnectionSilent('The database did not answer in time.')),
        Math.max(0, remainingMs(deadline)),
      );
      const fail = (error: unknown): void => {
        this.#settle(fail, timer);
        reject(error);
      };
      this.#waiting.add(fail);
      const send = () =>
        this.#sql
          .unsafe(text, values as postgres.ParameterOrJSON<never>[], {
            prepare: this.#options.prepared,
          })
          .then(
            (rows) => {
              this.#settle(fail, timer);
              resolve(rows as unknown as Rows<Row>);
            },
            (error) => fail(fromDriver(error)),
          );
      if (this.#held === undefined) send();
      else if (this.#held.push(send) === 1) this.#lookAtSession();
    });
  }

  /** Sends what is held once the session is known to be our own, else closes the connection. */
  #lookAtSession(): void {
    const refuse = (reason: string): void => {
      const error = new SessionNotOwn(reason);
      this.destroy(error);
      this.#options.onNotOwn?.(error);
    };
    this.#sql.unsafe<SessionSetting[]>(LOOK_AT_SESSION).then(
      (shown) => {
        const reason = whyNotOwn(this.#options, shown, shown.state.pid);
        if (reason !== undefined) return refuse(reason);
        const held = this.#held ?? [];
        this.#held = undefined;
        for (const send of held) send();
      },
      (error) => {
        const reason = whyRefused(this.#options, error);
        if (reason !== undefined) refuse(reason);
        else this.destroy(fromDriver(error));
      },
    );
  }

  /** Closes the connection at once. Whoever waits for an answer is told why there will be none. */
  destroy(reason: unknown = new ConnectionLost('The connection was closed.')): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket?.destroy();
    // Also ends a connection that is still being made.
    this.#sql.end({ timeout: 0 }).catch(() => {});
    // The driver forgets statements that were sent just before the connection broke.
    for (const fail of [...this.#waiting]) fail(reason);
    this.#onClosed(reason);
  }

  #settle(waiting: (error: unknown) => void, timer: ReturnType<typeof setTimeout>): void {
    clearTimeout(timer);
    this.#waiting.delete(waiting);
    if (this.#waiting.size === 0) this.#allAnswered?.();
  }

  /** Waits for the answers that are due, then closes the connection in good order. */
  async end(deadline: Deadline): Promise<void> {
    if (!this.#isOpen) return;
    // The driver would wait for the first of them alone.
    if (this.#waiting.size > 0) {
      await new Promise<void>((resolve) => {
        this.#allAnswered = resolve;
        setTimeout(resolve, Math.max(0, remainingMs(deadline))).unref();
      });
    }
    await this.#sql.end({ timeout: Math.max(0, remainingMs(deadline)) / 1000 }).catch(() => {});
    this.destroy();
  }
}

/** What the driver hands to whoever makes its sockets. */
interface DriverOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}
