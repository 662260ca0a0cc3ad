import { Connection, type RawResponse } from '../../../test/process/connection.ts';
import { requestText } from '../request-text.ts';

const CONNECTIONS = 32;

/** What is deleted when it is old. */
export type Made = Record<'orders' | 'idempotency records', number>;

const TICK_MS = 1;

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The requests for one animal, from its addition to its end. A third is sold, a third stays reserved until that ends, a third is removed. */
function* lifeOf(number: number): Generator<Request, void, RawResponse> {
  const name = `animal ${number}`;
  const body = { name, categoryId: number % 20, status: 'available' };
  const { id } = JSON.parse((yield { method: 'POST', path: '/pets', body }).body);
  yield { method: 'GET', path: '/pets?limit=20' };
  // Many animals have this text. A search for a rare one takes as long as the catalogue is large.
  yield { method: 'GET', path: `/pets?limit=20&name=${number % 100}` };
  yield { method: 'GET', path: `/pets/${id}` };
  yield { method: 'PATCH', path: `/pets/${id}`, body: { categoryId: 100 + (number % 20) } };
  yield { method: 'GET', path: '/store/inventory' };
  yield { method: 'GET', path: '/events?limit=20' };
  if (number % 3 === 0) yield { method: 'DELETE', path: `/pets/${id}` };
  else {
    const order = { petId: id, reference: `order ${number}` };
    const { body: placed } = yield { method: 'POST', path: '/store/orders', body: order };
    const path = `/store/orders/${JSON.parse(placed).id}`;
    if (number % 3 === 1) yield { method: 'PATCH', path, body: { status: 'delivered' } };
  }
}

/** Requests of all kinds at a constant rate, whatever the service does: one that waits counts from the time at which it was due. */
export class PacedLoad {
  requests = 0;
  changes = 0;
  readonly made: Made = { orders: 0, 'idempotency records': 0 };
  /** How many requests were due. */
  scheduled = 0;
  readonly #failures = new Map<string, number>();
  readonly #due: number[] = [];
  /** The clients that wait for a request to be due. */
  readonly #waiting: (() => void)[] = [];
  readonly #clients: Promise<unknown>;
  readonly #timer: ReturnType<typeof setInterval>;
  #durationsMs: number[] = [];
  #lives = 0;
  #isOver = false;

  constructor(
    readonly target: { readonly origin: string; readonly key: string },
    perSecond: number,
  ) {
    let scheduledMs = performance.now();
    this.#timer = setInterval(() => {
      for (; scheduledMs < performance.now(); scheduledMs += 1_000 / perSecond) {
        this.scheduled += 1;
        this.#due.push(scheduledMs);
        this.#waiting.shift()?.();
      }
    }, TICK_MS);
    this.#clients = Promise.all(Array.from({ length: CONNECTIONS }, () => this.#run()));
  }

  /** The median and the 99th percentile of the times until responses since the last call, in milliseconds. */
  takeLatencies(): { readonly median: number; readonly p99: number } {
    const sorted = this.#durationsMs.sort((a, b) => a - b);
    this.#durationsMs = [];
    const at = (fraction: number) => sorted[Math.floor(sorted.length * fraction)] ?? Number.NaN;
    return { median: at(0.5), p99: at(0.99) };
  }

  /** The kinds of responses without success, as sentences. */
  get failures(): string[] {
    return [...this.#failures].map(([text, count]) => `${count} times ${text}`);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#end();
    await this.#clients;
  }

  #end(): void {
    this.#isOver = true;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #run(): Promise<void> {
    const connection = await Connection.open(this.target.origin);
    if (connection === undefined) throw new Error('No connection.');
    while (!this.#isOver) {
      this.#lives += 1;
      await this.#live(connection, lifeOf(this.#lives));
    }
    connection.close();
  }

  async #live(connection: Connection, life: ReturnType<typeof lifeOf>): Promise<void> {
    for (let step = life.next(); step.done !== true; ) {
      const response = await this.#send(connection, step.value);
      if (response === undefined) return;
      step = life.next(response);
    }
  }

  /** @returns undefined at the end, or after a failure */
  async #send(connection: Connection, request: Request): Promise<RawResponse | undefined> {
    let dueMs = this.#due.shift();
    for (; dueMs === undefined; dueMs = this.#due.shift()) {
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.requests += 1;
    const idempotencyKey = request.method === 'POST' ? `${this.requests}` : undefined;
    connection.send(
      requestText({ ...request, ...(idempotencyKey && { idempotencyKey }) }, this.target.key),
    );
    const response = await connection.response();
    this.#durationsMs.push(performance.now() - dueMs);
    if (response === undefined || response.status >= 300) {
      const path = request.path.replaceAll(/\d+/g, '#');
      const text = `${request.method} ${path}: ${response?.status} ${response?.body}`;
      this.#failures.set(text, (this.#failures.get(text) ?? 0) + 1);
      if (response === undefined) this.#end();
      return undefined;
    }
    if (request.method !== 'GET') this.changes += 1;
    if (idempotencyKey !== undefined) this.made['idempotency records'] += 1;
    if (idempotencyKey !== undefined && request.path === '/store/orders') this.made.orders += 1;
    return response;
  }
}
