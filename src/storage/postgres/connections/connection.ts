import type { Socket } from 'node:net';
import postgres from 'postgres';
import { monotonicMs } from '../../../clock.ts';
import { type PostgresAddress, parsePostgresUrl } from '../../postgres-url.ts';
import { ConnectionLost, ConnectionTimedOut, SessionRefused } from '../failures.ts';
import type { Credentials } from './credentials.ts';
import { type Deadline, remainingMs } from './deadline.ts';
import { INT8 } from './int8.ts';
import { listenForReason } from './last-words.ts';
import type { ConnectionOptions } from './options.ts';
import {
  explainNetworkError,
  explainRefusal,
  isAuthenticationFailure,
  nameOf,
} from './refusals.ts';
import { connectTimeoutSeconds, openSocket, startTlsInTime } from './socket.ts';
import {
  BEGIN_SESSION,
  type BegunSession,
  detectPooler,
  detectPoolerInError,
  startupParameters,
} from './startup.ts';
import { requestsTls } from './tls.ts';

/** A parameter of a statement. Integers are sent as decimal digits, so that 64 bits stay exact. */
export type Value = string | number | bigint | boolean | null | Uint8Array;

/** The result of a statement: `count` is the number of rows that it read or changed, `command` its command tag. */
export type Rows<Row> = readonly Row[] & { readonly count: number; readonly command: string };

/**
 * The driver sends a statement without parameters and the beginning of the next one together. A pooler in transaction
 * mode returns the session after the first one, and the response to the other is lost.
 */
const NO_PIPELINE = 0;

/**
 * One connection. It opens with its first statement and never reconnects: no statement runs outside of its transaction.
 * Statements are pipelined: each is sent without waiting for the results of earlier ones.
 */
export class Connection {
  readonly #sql: postgres.Sql;
  readonly #address: PostgresAddress;
  readonly #credentials: Credentials;
  #socket: Socket | undefined;
  /** Why it is closed, undefined while it is open. */
  #closedBy: unknown;
  #findReason: () => ConnectionLost | undefined = () => undefined;
  #isEncrypted = false;
  readonly #pending = new Set<(error: unknown) => void>();
  /** Statements to send once the session has been verified; undefined from then on. */
  #unsent: (() => void)[] | undefined;
  #onIdle: (() => void) | undefined;

  /** @param onClosed is called once with the reason, when the connection is closed or lost. */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly onClosed: (reason: unknown) => void = () => {},
  ) {
    this.#unsent = options.prepared ? [] : undefined;
    const address = parsePostgresUrl(options.url);
    this.#address = address;
    this.#credentials = options.credentials?.current ?? address;
    this.#sql = postgres({
      host: [address.host],
      port: [address.port],
      database: address.database,
      user: this.#credentials.user,
      // A function because the driver would replace an empty password by a variable of the environment.
      pass: () => this.#credentials.password ?? '',
      ssl: false,
      connect_timeout: connectTimeoutSeconds(address),
      target_session_attrs: null,
      max: 1,
      ...(options.isShared && !options.prepared ? { max_pipeline: NO_PIPELINE } : {}),
      fetch_types: false,
      max_lifetime: null,
      connection: startupParameters(options, address),
      types: { int8: INT8 },
      onnotice: () => {},
      onclose: () => this.destroy(this.#findReason()),
      // The driver does not expose its own sockets, so an unresponsive one could not be closed.
      socket: () => this.#openSocket(),
    } as unknown as postgres.Options<Record<string, postgres.PostgresType>>);
  }

  /** The driver uses the socket as it is. */
  #openSocket(): Socket | Promise<Socket> {
    // The driver requests a second socket if the first one was closed before use.
    if (this.#socket !== undefined) this.destroy();
    if (!this.isOpen) throw new ConnectionLost('The connection was closed.');
    const { tlsFiles = {} } = this.options;
    const plain = openSocket(this.#address);
    this.#use(plain);
    if (!requestsTls(this.#address, tlsFiles)) return plain;
    return startTlsInTime(plain, this.#address, tlsFiles).then(
      (socket) => {
        this.#isEncrypted = socket !== plain;
        if (this.#isEncrypted) this.#use(socket);
        return socket;
      },
      (error) => {
        const explained = explainNetworkError(error, this.#address);
        this.destroy(explained);
        throw explained;
      },
    );
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    this.#findReason = listenForReason(socket);
    socket.on('error', (error) =>
      this.destroy(this.#findReason() ?? explainNetworkError(error, this.#address)),
    );
    if (!this.isOpen) socket.destroy();
  }

  /** Whether the connection uses TLS. */
  get isEncrypted(): boolean {
    return this.#isEncrypted;
  }

  get isOpen(): boolean {
    return this.#closedBy === undefined;
  }

  /** The number of statements without a result yet. */
  get pending(): number {
    return this.#pending.size;
  }

  /**
   * Runs one statement. If there is no result by the deadline, the connection is closed because its state is unknown.
   * @throws ConnectionLost, or the driver's error.
   */
  query<Row>(text: string, values: readonly Value[], deadline: Deadline): Promise<Rows<Row>> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        reject(this.#closedBy);
        return;
      }
      const timer = setTimeout(
        () =>
          this.destroy(new ConnectionTimedOut(`${nameOf(this.#address)} did not respond in time`)),
        remainingMs(deadline),
      );
      const fail = (error: unknown): void => {
        this.#settle(fail, timer);
        reject(error);
      };
      this.#pending.add(fail);
      const send = () =>
        this.#sql
          .unsafe(text, values as postgres.ParameterOrJSON<never>[], {
            prepare: this.options.prepared,
          })
          .then(
            (rows) => {
              this.#settle(fail, timer);
              if (this.options.activity) this.options.activity.lastResultMs = monotonicMs();
              resolve(rows as unknown as Rows<Row>);
            },
            (error) => fail(this.#explain(error)),
          );
      if (this.#unsent === undefined) send();
      else if (this.#unsent.push(send) === 1) this.#verifySession();
    });
  }

  /** Sends the unsent statements if the session meets the requirements, else closes the connection. */
  #verifySession(): void {
    const refuse = (reason: string): void => {
      const error = new SessionRefused(reason);
      this.destroy(error);
      this.options.onSessionRefused?.(error);
    };
    this.#sql.unsafe<BegunSession>(BEGIN_SESSION).then(
      ([, settings]) => {
        const reason = detectPooler(this.options, settings, settings.state.pid);
        if (reason !== undefined) return refuse(reason);
        const unsent = this.#unsent ?? [];
        this.#unsent = undefined;
        for (const send of unsent) send();
      },
      (error) => {
        const reason = detectPoolerInError(this.options, error);
        if (reason !== undefined) refuse(reason);
        else this.destroy(this.#explain(error));
      },
    );
  }

  /** Converts an error of the driver. With other credentials, another connection may succeed. */
  #explain(error: unknown): unknown {
    if (
      isAuthenticationFailure(error) &&
      this.options.credentials?.renew(this.#credentials) === true
    ) {
      return new ConnectionLost('The password of the database has changed.', { cause: error });
    }
    const explained = explainRefusal(error, this.#address, this.#credentials);
    return explainNetworkError(explained, this.#address);
  }

  /** Closes the connection immediately. All pending statements fail with `reason`. */
  destroy(reason: unknown = new ConnectionLost('The connection was closed.')): void {
    if (!this.isOpen) return;
    this.#closedBy = reason;
    this.#socket?.destroy();
    // Also cancels a connection attempt in progress.
    this.#sql.end({ timeout: 0 }).catch(() => {});
    // The driver never settles statements that were sent just before the connection broke.
    for (const fail of [...this.#pending]) fail(reason);
    this.onClosed(reason);
  }

  #settle(fail: (error: unknown) => void, timer: ReturnType<typeof setTimeout>): void {
    clearTimeout(timer);
    this.#pending.delete(fail);
    if (this.#pending.size === 0) this.#onIdle?.();
  }

  /** Waits for the pending statements, then terminates the session and closes the connection. */
  async end(deadline: Deadline): Promise<void> {
    if (!this.isOpen) return;
    // The driver would wait for the first one only.
    if (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
        setTimeout(resolve, remainingMs(deadline)).unref();
      });
    }
    await this.#sql.end({ timeout: remainingMs(deadline) / 1000 }).catch(() => {});
    this.destroy();
  }
}
