import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, closesConnection, type RawResponse } from '../../test/process/connection.ts';
import type { Environment } from './environment.ts';

const WRITERS = 32;
const READERS = 4;

/** A client times out after this time, far longer than the service may take. */
const CLIENT_TIMEOUT_MS = 15_000;

/** The pause of a client after a failure. */
const PAUSE_MS = 20;

/** The responses that the clients received. */
export class Results {
  /** The id of each name with a 201. */
  readonly acknowledged = new Map<string, number>();
  /** The number of responses by method and status: `POST 201`, `POST 503 unavailable`. */
  readonly statuses = new Map<string, number>();
  /** Requests without a response. */
  readonly unanswered: string[] = [];
  longestWaitMs = 0;
  /** The latest send time of a request with a 201. */
  lastSuccessSentMs = 0;
  /** The latest send time of a POST without a 201. */
  lastFailureSentMs = 0;

  count({ method, name }: TestRequest, response: RawResponse | undefined, waitedMs: number): void {
    this.longestWaitMs = Math.max(this.longestWaitMs, waitedMs);
    if (response === undefined) {
      this.unanswered.push(`${method} ${name}`);
      return;
    }
    const code = response.status < 400 ? '' : ` ${codeOf(response)}`;
    const status = `${method} ${response.status}${code}`;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}

const codeOf = ({ body }: RawResponse): string =>
  /"code":"(\w+)"/.exec(body)?.[1] ?? JSON.stringify(body);

interface TestRequest {
  readonly method: 'GET' | 'POST';
  /** The name of the animal, or a description. */
  readonly name: string;
  readonly text: string;
}

export interface Load {
  readonly results: Results;
  /** Starts no new requests, and resolves when all are settled. */
  stop(): Promise<void>;
  /** Stops the retries. */
  stopRetries(): void;
}

export interface LoadOptions {
  /** Whether each request has an Idempotency-Key and is retried until it is acknowledged. */
  readonly retrying?: boolean;
  /** How long a writer waits after each animal. Not at all by default. */
  readonly pauseMs?: number;
  /** A fault of the clients: they retry without a key. */
  readonly withoutKeys?: boolean;
}

/** Starts writers that add animals one after another, each with a unique name, and readers. */
export function startLoad(
  { origin, key }: Environment,
  { retrying = false, pauseMs = 0, withoutKeys = false }: LoadOptions,
): Load {
  const results = new Results();
  let isStopped = false;
  let mayRetry = true;
  const write = async (writer: number): Promise<void> => {
    const client = new Client(origin, results);
    for (let count = 0; !isStopped; count += 1) {
      const name = `animal ${writer}-${count}`;
      const request = newAnimal(key, name, retrying && !withoutKeys);
      while (!(await add(client, request)) && retrying && mayRetry) await sleep(PAUSE_MS);
      if (pauseMs > 0) await sleep(pauseMs);
    }
    client.close();
  };
  const add = async (client: Client, request: TestRequest): Promise<boolean> => {
    const sentMs = performance.now();
    const response = await client.send(request);
    if (response?.status !== 201) {
      results.lastFailureSentMs = Math.max(results.lastFailureSentMs, sentMs);
      await sleep(PAUSE_MS);
      return false;
    }
    results.acknowledged.set(request.name, (JSON.parse(response.body) as { id: number }).id);
    results.lastSuccessSentMs = Math.max(results.lastSuccessSentMs, sentMs);
    return true;
  };
  const read = async (): Promise<void> => {
    const client = new Client(origin, results);
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
    results,
    async stop() {
      isStopped = true;
      await finished;
    },
    stopRetries() {
      mayRetry = false;
    },
  };
}

/** Sends one request after another, on a new connection if the last one is closed. */
class Client {
  #connection: Connection | undefined;

  constructor(
    readonly origin: string,
    readonly results: Results,
  ) {}

  async send(request: TestRequest): Promise<RawResponse | undefined> {
    const sentMs = performance.now();
    this.#connection ??= await Connection.open(this.origin);
    const connection = this.#connection;
    const timer = setTimeout(() => connection?.close(), CLIENT_TIMEOUT_MS);
    connection?.send(request.text);
    const response = await connection?.response();
    clearTimeout(timer);
    this.results.count(request, response, performance.now() - sentMs);
    if (response === undefined || closesConnection(response)) this.close();
    return response;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

function newAnimal(key: string, name: string, isKeyed: boolean): TestRequest {
  const body = JSON.stringify({ name, categoryId: 1 });
  const head = [
    ...headOf('POST', '/v1/pets', key),
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...(isKeyed ? [`Idempotency-Key: "${name}"`] : []),
  ];
  return { method: 'POST', name, text: `${head.join('\r\n')}\r\n\r\n${body}` };
}

const firstPage = (key: string): TestRequest => ({
  method: 'GET',
  name: 'the first page',
  text: `${headOf('GET', '/v1/pets?limit=1', key).join('\r\n')}\r\n\r\n`,
});

const headOf = (method: string, path: string, key: string): string[] => [
  `${method} ${path} HTTP/1.1`,
  'Host: 127.0.0.1',
  `Authorization: Bearer ${key}`,
];
