import { setTimeout as sleep } from 'node:timers/promises';
import {
  Connection,
  closesConnection,
  newPetRequest,
  type RawResponse,
} from '../../test/process/connection.ts';
import { animalStore } from '../../test/support/process.ts';

export interface TrafficOptions {
  readonly origin: string;
  /** A key that can read and add animals. */
  readonly key: string;
  readonly clients: number;
  /** Whether each request has its own connection. False: a connection lasts until one of the two sides closes it. */
  readonly fresh?: boolean;
}

/** Every second client waits up to this long before each request, so that its connection is idle most of the time. */
const MAX_PAUSE_MS = 20;

const ADDITIONS_OF_TEN = 3;

/** Clients that read and add animals until `stop`. They never repeat a request, and record what fails. */
export class Traffic {
  requests = 0;
  /** `refused` (no connection), `reset` (no response), or an unexpected response, each with a count. */
  readonly failures = new Map<string, number>();
  /** The id of each added animal by its name. */
  readonly acknowledged = new Map<string, number>();
  readonly #options: TrafficOptions;
  readonly #finished: Promise<unknown>;
  #isOver = false;

  constructor(options: TrafficOptions) {
    this.#options = options;
    const clients = Array.from({ length: options.clients }, (_, client) => this.#run(client));
    this.#finished = Promise.all(clients);
  }

  /** Resolves when the last request has a response. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#finished;
  }

  /** The names of animals in the database that differ from those with a response. */
  async differences(database: string): Promise<string[]> {
    const { stdout } = await animalStore(['export', '--database', database]);
    const lines = stdout.split('\n').filter((line) => line !== '');
    const stored = lines.map((line) => JSON.parse(line) as { id: number; name: string });
    const unexpected = stored.filter(({ id, name }) => this.acknowledged.get(name) !== id);
    const names = new Set(stored.map(({ name }) => name));
    const lost = [...this.acknowledged.keys()].filter((name) => !names.has(name));
    return [...unexpected.map(({ name }) => name), ...lost];
  }

  async #run(client: number): Promise<void> {
    const { origin, fresh = false } = this.#options;
    let connection: Connection | undefined;
    for (let turn = 0; !this.#isOver; turn += 1) {
      if (client % 2 === 1) await sleep(Math.random() * MAX_PAUSE_MS);
      // As every client does: a connection that the server has closed is not used again.
      if (connection === undefined || connection.isClosed)
        connection = await Connection.open(origin);
      const response = await this.#send(connection, `animal ${client}-${turn}`, turn);
      if (fresh || response === undefined || closesConnection(response)) {
        connection?.close();
        connection = undefined;
      }
    }
    connection?.close();
  }

  async #send(
    connection: Connection | undefined,
    name: string,
    turn: number,
  ): Promise<RawResponse | undefined> {
    this.requests += 1;
    if (connection === undefined) return this.#fail('refused');
    const { key } = this.#options;
    const adds = turn % 10 < ADDITIONS_OF_TEN;
    connection.send(adds ? newPetRequest(key, name) : readRequest(key));
    const response = await connection.response();
    if (response === undefined) return this.#fail('reset');
    if (response.status !== (adds ? 201 : 200)) {
      this.#fail(`${response.status} ${response.body.slice(0, 80)}`);
    } else if (adds) this.acknowledged.set(name, (JSON.parse(response.body) as { id: number }).id);
    return response;
  }

  #fail(failure: string): undefined {
    this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
  }
}

const readRequest = (key: string): string =>
  ['GET /v1/pets?limit=5 HTTP/1.1', 'Host: 127.0.0.1', `Authorization: Bearer ${key}`, '', ''].join(
    '\r\n',
  );
