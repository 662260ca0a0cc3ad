import { connect, type Socket } from 'node:net';
import { bearer, startService, until } from '../support/process.ts';

export interface RawResponse {
  readonly status: number;
  /** The status line and the header lines as received. */
  readonly head: string;
  readonly body: string;
}

/** One persistent connection without a client library, which would silently retry a request that gets no response. */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #closed = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#wake();
    });
    const onEnd = () => {
      this.#closed = true;
      this.#wake();
    };
    for (const event of ['end', 'error', 'close']) socket.on(event, onEnd);
  }

  /** Resolves with undefined if no server listens. */
  static open(origin: string): Promise<Connection | undefined> {
    const { hostname, port } = new URL(origin);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.once('connect', () => resolve(new Connection(socket)));
      socket.once('error', () => resolve(undefined));
      socket.once('close', () => resolve(undefined));
    });
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /** Resolves with the next response, or with undefined if the connection closes before it is complete. */
  async response(): Promise<RawResponse | undefined> {
    for (;;) {
      const response = this.#takeResponse();
      if (response !== undefined || this.#closed) return response;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #takeResponse(): RawResponse | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const head = this.#received.slice(0, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = this.#received.slice(end + 4, end + 4 + length);
    if (body.length < length) return undefined;
    this.#received = this.#received.slice(end + 4 + length);
    return { status: Number(head.slice(9, 12)), head, body };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** A request with a body of JSON, which must be ASCII. */
export const jsonRequest = (key: string, target: string, body: string, ...fields: string[]) =>
  [
    `${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...fields,
    '',
    body,
  ].join('\r\n');

/** A request that adds an animal. The name must be ASCII. */
export const newPetRequest = (key: string, name: string): string =>
  jsonRequest(key, 'POST /v1/pets', JSON.stringify({ name, categoryId: 1 }));

export const getStatus = async (origin: string, key: string, path: string): Promise<number> =>
  (await fetch(`${origin}/v1${path}`, bearer(key))).status;

/** What a running service returns. */
export async function getJson<T>(origin: string, key: string, path: string): Promise<T> {
  return (await (await fetch(`${origin}/v1${path}`, bearer(key))).json()) as T;
}

export const closesConnection = ({ head }: RawResponse): boolean =>
  /^connection: close$/im.test(head);

/** The outcome of the animals that concurrent clients added. */
export class WriteResults {
  /** The id of each name with response 201. */
  readonly acknowledged = new Map<string, number>();
  readonly refused: RawResponse[] = [];
  readonly duplicateIds: number[] = [];
  readonly #ids = new Set<number>();

  acknowledge(name: string, { body }: RawResponse): void {
    const { id } = JSON.parse(body) as { id: number };
    if (this.#ids.has(id)) this.duplicateIds.push(id);
    this.#ids.add(id);
    this.acknowledged.set(name, id);
  }
}

interface Target {
  readonly origin: string;
  readonly key: string;
}

/** Adds animals, on a new connection whenever the last one closes or a response announces that, until no server listens. */
async function write({ origin, key }: Target, client: number, written: WriteResults) {
  let count = 0;
  for (;;) {
    const connection = await Connection.open(origin);
    if (connection === undefined) return;
    for (;;) {
      const name = `animal ${client}-${count++}`;
      connection.send(newPetRequest(key, name));
      const response = await connection.response();
      if (response === undefined) break;
      if (response.status === 201) written.acknowledge(name, response);
      else written.refused.push(response);
      if (closesConnection(response)) break;
    }
    connection.close();
  }
}

/** Adds animals without a pause, each client on its own connection, until no server listens. */
export function startWriters(target: Target, clients: number) {
  const written = new WriteResults();
  const finished = Promise.all(
    Array.from({ length: clients }, (_value, client) => write(target, client, written)),
  );
  return { written, finished };
}

/** Adds at least so many animals by a service, and kills it: the last ones are only in the WAL. Returns the id of each name. */
export async function serveAndKill(database: string, key: string, count: number) {
  await using service = await startService(database);
  const { written, finished } = startWriters({ origin: service.origin, key }, 16);
  await until(() => written.acknowledged.size >= count);
  service.signal('SIGKILL');
  await service.ended();
  await finished;
  return written.acknowledged;
}
