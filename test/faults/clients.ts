import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, closesConnection, type RawResponse } from '../process/connection.ts';
import type { Stage } from './stage.ts';

const WRITERS = 32;
const READERS = 4;

/** After this long without an answer a client gives up: far longer than the service may take. */
const PATIENCE_MS = 15_000;

/** Before a client sends anything after a failure. */
const PAUSE_MS = 20;

/** What the clients of a service saw. */
export class Seen {
  /** The id of each name that was answered 201. */
  readonly acknowledged = new Map<string, number>();
  /** How often each method got each answer: `POST 201`, `POST 503 unavailable`. */
  readonly statuses = new Map<string, number>();
  /** Requests that were sent and got no answer, or that nobody took. */
  readonly unanswered: string[] = [];
  longestWaitMs = 0;
  /** When the last of the animals that were answered 201 had been sent. */
  lastSuccessSentMs = 0;
  /** When the last of the animals that got another answer had been sent. */
  lastFailureSentMs = 0;

  count({ method, name }: Sent, answer: RawResponse | undefined, waitedMs: number): void {
    this.longestWaitMs = Math.max(this.longestWaitMs, waitedMs);
    if (answer === undefined) {
      this.unanswered.push(`${method} ${name}`);
      return;
    }
    const code = answer.status < 400 ? '' : ` ${codeOf(answer)}`;
    const status = `${method} ${answer.status}${code}`;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}

const codeOf = ({ body }: RawResponse): string =>
  /"code":"(\w+)"/.exec(body)?.[1] ?? JSON.stringify(body);

interface Sent {
  readonly method: 'GET' | 'POST';
  /** What the request is about. */
  readonly name: string;
  readonly text: string;
}

export interface Load {
  readonly seen: Seen;
  /** Resolves when every request that was begun has come to its end. */
  stop(): Promise<void>;
  /** From now on nothing is sent again, whether it was acknowledged or not. */
  abandon(): void;
}

/**
 * Writers that add animals one after another, each name once, and readers beside them. With
 * `retrying`, each name is sent with an Idempotency-Key, again and again until it is acknowledged.
 */
export function startLoad({ origin, key }: Stage, { retrying }: { retrying: boolean }): Load {
  const seen = new Seen();
  let isStopped = false;
  let isAbandoned = false;
  const write = async (writer: number): Promise<void> => {
    const client = new Client(origin, seen);
    for (let count = 0; !isStopped; count += 1) {
      const name = `animal ${writer}-${count}`;
      const request = newAnimal(key, name, retrying);
      while (!(await add(client, request)) && retrying && !isAbandoned) await sleep(PAUSE_MS);
    }
    client.close();
  };
  const add = async (client: Client, request: Sent): Promise<boolean> => {
    const sentMs = performance.now();
    const answer = await client.send(request);
    if (answer?.status !== 201) {
      seen.lastFailureSentMs = Math.max(seen.lastFailureSentMs, sentMs);
      await sleep(PAUSE_MS);
      return false;
    }
    seen.acknowledged.set(request.name, (JSON.parse(answer.body) as { id: number }).id);
    seen.lastSuccessSentMs = Math.max(seen.lastSuccessSentMs, sentMs);
    return true;
  };
  const read = async (): Promise<void> => {
    const client = new Client(origin, seen);
    while (!isStopped) {
      await client.send(firstPage(key));
      await sleep(PAUSE_MS);
    }
    client.close();
  };
  const finished = Promise.all([
    ...Array.from({ length: WRITERS }, (_value, writer) => write(writer)),
    ...Array.from({ length: READERS }, read),
  ]);
  return {
    seen,
    async stop() {
      isStopped = true;
      await finished;
    },
    abandon() {
      isAbandoned = true;
    },
  };
}

/** Sends one request after another, on a new connection where the last one is gone. */
class Client {
  #connection: Connection | undefined;

  constructor(
    readonly origin: string,
    readonly seen: Seen,
  ) {}

  async send(request: Sent): Promise<RawResponse | undefined> {
    const sentMs = performance.now();
    this.#connection ??= await Connection.open(this.origin);
    const connection = this.#connection;
    const timer = setTimeout(() => connection?.close(), PATIENCE_MS);
    connection?.send(request.text);
    const answer = await connection?.response();
    clearTimeout(timer);
    this.seen.count(request, answer, performance.now() - sentMs);
    if (answer === undefined || closesConnection(answer)) this.close();
    return answer;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

function newAnimal(key: string, name: string, retrying: boolean): Sent {
  const body = JSON.stringify({ name, categoryId: 1 });
  const head = [
    ...headOf('POST', '/v1/pets', key),
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...(retrying ? [`Idempotency-Key: "${name}"`] : []),
  ];
  return { method: 'POST', name, text: `${head.join('\r\n')}\r\n\r\n${body}` };
}

const firstPage = (key: string): Sent => ({
  method: 'GET',
  name: 'the first page',
  text: `${headOf('GET', '/v1/pets?limit=1', key).join('\r\n')}\r\n\r\n`,
});

const headOf = (method: string, path: string, key: string): string[] => [
  `${method} ${path} HTTP/1.1`,
  'Host: 127.0.0.1',
  `Authorization: Bearer ${key}`,
];
