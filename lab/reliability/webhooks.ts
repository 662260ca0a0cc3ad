import { Database } from 'bun:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseExactJson, renderExactJson } from '../../src/http/request/exact-json.ts';
import { childrenOf } from '../../test/process/children.ts';
import { openScratch } from '../../test/storage/postgres/scratch.ts';
import { createKey } from '../../test/support/create-key.ts';
import { spawnGuarded } from '../../test/support/guard.ts';
import { projectOf } from '../../test/support/guide-program.ts';
import { freePort } from '../../test/support/postgres-home.ts';
import {
  bearer,
  type RunningService,
  sourceCommandOf,
  startCommand,
  until,
  workplace,
} from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import { LOCAL_WEBHOOKS } from '../../test/support/webhook-receiver.ts';
import { type Control, controlOf, controlOfAll, type Outcome, type Trial } from './trial.ts';

type Engine = 'SQLite' | 'PostgreSQL';

const FAULTS = fileURLToPath(new URL('webhook-faults.ts', import.meta.url));
const LIMIT_MS = 30 * 60_000;
const CONCURRENCY = 16;

/** Longer than the claim of a process that was killed. */
const SILENCE_MS = 60_000;
const BATCH = 100;

interface Arrival {
  readonly endpoint: string;
  readonly id: string;
  readonly body: string;
  /** In milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
  /** Whether the sender was there for the response. */
  isAccepted: boolean;
}

/** Receives webhooks. The path names the endpoint. */
class Receiver {
  arrivals: Arrival[] = [];
  /** The endpoints that accept a connection, and never respond. */
  readonly dead = new Set<string>();
  #server: Bun.Server<undefined> | undefined;
  #port = 0;

  /** @param pauseMs before each response. */
  constructor(readonly pauseMs = () => 0) {
    this.start();
  }

  start(): void {
    this.#server = Bun.serve({
      port: this.#port,
      hostname: '127.0.0.1',
      idleTimeout: 60,
      fetch: (request) => this.#receive(request),
    });
    this.#port = this.#server.port ?? 0;
  }

  async #receive(request: Request): Promise<Response> {
    const at = Date.now();
    const endpoint = new URL(request.url).pathname.slice(1);
    const id = request.headers.get('webhook-id') ?? '';
    const body = await request.text();
    if (id.startsWith('ping-')) return new Response();
    if (this.dead.has(endpoint)) return new Promise(() => {});
    const { signal } = request;
    const arrival = { endpoint, id, body, at, isAccepted: false };
    this.arrivals.push(arrival);
    await sleep(this.pauseMs());
    arrival.isAccepted = !signal.aborted;
    return new Response();
  }

  urlOf = (endpoint: string): string => `http://127.0.0.1:${this.#port}/${endpoint}`;

  /** The deliveries that were accepted. */
  accepted(): Set<string> {
    return new Set(this.arrivals.filter(({ isAccepted }) => isAccepted).map(keyOf));
  }

  /** Waits until so many deliveries were accepted, or none is for a while. */
  async received(count: number, limitMs = LIMIT_MS): Promise<void> {
    let [known, lastMs] = [0, performance.now()];
    const endMs = lastMs + limitMs;
    while (performance.now() < Math.min(endMs, lastMs + SILENCE_MS)) {
      const { size } = this.accepted();
      if (size >= count) return;
      if (size > known) [known, lastMs] = [size, performance.now()];
      await sleep(200);
    }
  }

  stop = (): Promise<void> | undefined => this.#server?.stop(true);
}

const keyOf = ({ endpoint, id }: Arrival): string => `${endpoint} ${id}`;

interface ShopOptions {
  readonly engine: Engine;
  readonly processes: number;
  /** Planted in its processes. */
  readonly fault: string | undefined;
}

/** Processes of the service on one database: workers of one on SQLite. */
class Shop {
  readonly services: RunningService[] = [];

  private constructor(
    readonly options: ShopOptions,
    readonly url: string,
    readonly key: string,
    readonly removeDatabase: () => unknown,
  ) {}

  static async open(options: ShopOptions): Promise<Shop> {
    const place = options.engine === 'SQLite' ? workplace() : await openScratch();
    const url = 'database' in place ? place.database : place.url;
    const key = await createKey(url, ['pets:write', 'events:read', 'webhooks:admin']);
    const shop = new Shop(options, url, key, () => place.remove());
    const count = options.engine === 'SQLite' ? 1 : options.processes;
    for (let index = 0; index < count; index += 1) shop.services.push(await shop.#start());
    return shop;
  }

  #start(): Promise<RunningService> {
    const { engine, processes, fault } = this.options;
    const [runtime = '', ...program] = sourceCommandOf(
      ...['serve', '--database', this.url, '--port', '0', '--log-level', 'error'],
      ...(engine === 'SQLite' ? ['--workers', String(processes)] : []),
    );
    const preload = fault === undefined ? [] : ['--preload', FAULTS];
    const WEBHOOK_CONCURRENCY = String(CONCURRENCY);
    return startCommand([runtime, ...preload, ...program], {
      variables: { ...LOCAL_WEBHOOKS, WEBHOOK_CONCURRENCY, ...(fault && { FAULT: fault }) },
      showsKey: false,
      limitMs: LIMIT_MS,
    });
  }

  /** Kills a process, and waits until another one has its place. Resolves with the time of the kill. */
  async killOne(random: Random): Promise<number> {
    const { engine, processes } = this.options;
    const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
    if (engine === 'PostgreSQL' || processes === 1) {
      const service = one(this.services);
      service.signal('SIGKILL');
      const at = Date.now();
      await service.ended();
      this.services[this.services.indexOf(service)] = await this.#start();
      return at;
    }
    const workers = () => childrenOf(this.services[0]?.pid ?? 0);
    const worker = one(workers());
    process.kill(worker, 'SIGKILL');
    const at = Date.now();
    await until(() => workers().length === processes && !workers().includes(worker));
    return at;
  }

  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.services[0]?.origin}/v1${path}`, {
      method,
      headers: { ...bearer(this.key).headers, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return (text && parseExactJson(text)) as T;
  }

  async addEndpoint(url: string): Promise<{ readonly path: string; readonly secret: string }> {
    const body = { url, types: ['pet.created'] };
    type Issued = { readonly id: number; readonly secret: string };
    const { id, secret } = await this.send<Issued>('POST', '/webhook-endpoints', body);
    return { path: `/webhook-endpoints/${id}`, secret };
  }

  async removeEndpoint(path: string): Promise<void> {
    const { headers } = await fetch(`${this.services[0]?.origin}/v1${path}`, bearer(this.key));
    await fetch(`${this.services[0]?.origin}/v1${path}`, {
      method: 'DELETE',
      headers: { ...bearer(this.key).headers, 'If-Match': headers.get('etag') ?? '' },
    });
  }

  /** Adds animals. The category is a number that other JSON parsers round. */
  async addPets(count: number): Promise<void> {
    const categoryId = '@';
    const pets = Array.from({ length: count }, (_, pet) => ({ name: `Rex ${pet}`, categoryId }));
    const response = await fetch(`${this.services[0]?.origin}/v1/pet-batches`, {
      method: 'POST',
      headers: { ...bearer(this.key).headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ pets }).replaceAll('"@"', '9223372036854775807'),
    });
    if (response.status !== 201) throw new Error(await response.text());
    await response.text();
  }

  /** The events of all animals as the feed has them, by id. */
  async events(): Promise<Map<string, string>> {
    const events = new Map<string, string>();
    for (let after = ''; ; ) {
      const path = `/events?type=pet.created&limit=100${after && `&after=${after}`}`;
      const page = await this.send<{ id: string }[]>('GET', path);
      for (const event of page) events.set(event.id, renderExactJson(event));
      if (page.length < BATCH) return events;
      after = page.at(-1)?.id ?? '';
    }
  }

  async close(): Promise<void> {
    for (const service of this.services) service.signal('SIGKILL');
    await Promise.all(this.services.map((service) => service.ended()));
    await this.removeDatabase();
  }
}

async function withShop<T>(
  options: ShopOptions,
  receiver: { stop(): unknown },
  work: (shop: Shop) => Promise<T>,
): Promise<T> {
  const shop = await Shop.open(options);
  try {
    return await work(shop);
  } finally {
    await shop.close();
    await receiver.stop();
  }
}

/** What a trial found, without its control. */
type Found = Pick<Outcome, 'trials' | 'failures' | 'figures'>;

interface ProofOptions {
  readonly engine: Engine;
  readonly random: Random;
  readonly fault?: string;
}

const ENDPOINTS = 10;
const PROCESSES = 4;

const NEVER = { at: 0 };

/** A claim ends after 30 seconds. */
const MIN_CLAIM_MS = 25_000;

/** What arrived so long before a kill had been stored, also on a busy machine. Requests may wait in the receiver. */
const MAX_UNSTORED_MS = 5_000;

/** @param times of the kills. */
function problemsOf(receiver: Receiver, expected: number, times: readonly number[]) {
  const { size } = receiver.accepted();
  const all = Map.groupBy(receiver.arrivals, keyOf);
  const repeated = [...all.values()].filter(({ length }) => length > 1);
  const unexcused = repeated.filter(
    ([first = NEVER, second = NEVER, ...others]) =>
      others.length > 0 ||
      second.at - first.at < MIN_CLAIM_MS ||
      !times.some((at) => Math.abs(first.at - at) < MAX_UNSTORED_MS),
  );
  const failures: string[] = [];
  if (size !== expected) failures.push(`${size} of ${expected} deliveries were accepted`);
  if (unexcused.length > 0)
    failures.push(`${unexcused.length} deliveries were repeated without a kill`);
  if (repeated.length > times.length * CONCURRENCY)
    failures.push(`${repeated.length} deliveries were repeated after ${times.length} kills`);
  return { failures, repeated: repeated.length };
}

/** @param pauseMs at most, before the receiver responds. */
const kills =
  (changes: number, killed: number, pauseMs = 20) =>
  ({ engine, random, fault }: ProofOptions): Promise<Found> => {
    const receiver = new Receiver(() => (0.25 + 0.75 * random()) * pauseMs);
    return withShop({ engine, processes: PROCESSES, fault }, receiver, async (shop) => {
      for (let endpoint = 0; endpoint < ENDPOINTS; endpoint += 1)
        await shop.addEndpoint(receiver.urlOf(String(endpoint)));
      for (let added = 0; added < changes; added += BATCH) await shop.addPets(BATCH);
      const expected = changes * ENDPOINTS;
      const times: number[] = [];
      for (let kill = 0; kill < killed; kill += 1) {
        const part = (kill + 0.2 + 0.6 * random()) / killed;
        await until(() => receiver.arrivals.length > part * expected);
        times.push(await shop.killOne(random));
      }
      await receiver.received(expected);
      // A repetition comes when the claim ends.
      await sleep(MIN_CLAIM_MS + 10_000);
      const { failures, repeated } = problemsOf(receiver, expected, times);
      return { trials: expected, failures, figures: { kills: killed, repeated } };
    });
  };

const PER_SECOND = 20;
const MAX_RATIO = 1.2;

/** After the last change of a round. */
const MAX_LATE_MS = 30_000;

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

/** With one endpoint that never responds, and without it, in turn. */
const dead =
  (pairs: number, seconds: number) =>
  ({ engine, fault }: ProofOptions): Promise<Found> => {
    const receiver = new Receiver();
    receiver.dead.add('dead');
    return withShop({ engine, processes: 1, fault }, receiver, async (shop) => {
      const healthy = ENDPOINTS - 1;
      for (let endpoint = 0; endpoint < healthy; endpoint += 1)
        await shop.addEndpoint(receiver.urlOf(String(endpoint)));
      const round = async (): Promise<number[]> => {
        receiver.arrivals = [];
        const startMs = performance.now();
        for (let pets = 0; pets < seconds * PER_SECOND; pets += 1) {
          await sleep(Math.max(0, startMs + (pets * 1_000) / PER_SECOND - performance.now()));
          await shop.addPets(1);
        }
        await receiver.received(seconds * PER_SECOND * healthy, MAX_LATE_MS);
        return receiver.arrivals.map(
          ({ at, body }) => at - Date.parse((JSON.parse(body) as { timestamp: string }).timestamp),
        );
      };
      const [without, beside]: [number[][], number[][]] = [[], []];
      await round();
      for (let pair = 0; pair < pairs; pair += 1) {
        without.push(await round());
        const { path } = await shop.addEndpoint(receiver.urlOf('dead'));
        beside.push(await round());
        await shop.removeEndpoint(path);
      }
      const p95 = (rounds: number[][]) => percentile(rounds.flat(), 0.95);
      const ratio = p95(beside) / p95(without);
      const ratios = beside.map((one, pair) => p95([one]) / p95([without[pair] ?? []]));
      const count = beside.flat().length;
      const expected = pairs * seconds * PER_SECOND * healthy;
      const failures: string[] = [];
      if (count !== expected) failures.push(`${count} of ${expected} deliveries arrived`);
      if (!(ratio <= MAX_RATIO))
        failures.push(`the 95th percentile is ${ratio.toFixed(2)} times as long`);
      const figures = {
        rounds: pairs,
        '95th percentile without, in ms': Math.round(p95(without)),
        '95th percentile beside it, in ms': Math.round(p95(beside)),
        ratio: ratio.toFixed(2),
        'ratios of rounds': ratios.map((one) => one.toFixed(2)).join(', '),
      };
      return { trials: count, failures, figures };
    });
  };

const replay =
  (changes: number) =>
  ({ engine, fault }: ProofOptions): Promise<Found> => {
    const receiver = new Receiver();
    return withShop({ engine, processes: 1, fault }, receiver, async (shop) => {
      const { path: endpoint } = await shop.addEndpoint(receiver.urlOf('down'));
      await receiver.stop();
      const after = new Date(Date.now() - 1_000).toISOString();
      for (let added = 0; added < changes; added += BATCH) await shop.addPets(BATCH);
      const events = await shop.events();
      const newest = [...events.keys()].at(-1);
      await until(async () => {
        type Deliveries = { eventId: string; attempts: number }[];
        const path = `${endpoint}/deliveries?limit=1`;
        const [last] = await shop.send<Deliveries>('GET', path);
        return last?.eventId === newest;
      });
      receiver.start();
      const { count } = await shop.send<{ count: number }>('POST', `${endpoint}/replay`, { after });
      const startMs = performance.now();
      await receiver.received(changes);
      const seconds = (performance.now() - startMs) / 1_000;
      const ids = new Set(receiver.arrivals.map(({ id }) => id));
      const missing = [...events.keys()].filter((id) => !ids.has(id));
      const wrong = receiver.arrivals.filter(({ id, body }) => events.get(id) !== body);
      const failures: string[] = [];
      if (events.size !== changes || count !== changes)
        failures.push(`${changes} changes have ${events.size} events, and ${count} were due`);
      if (missing.length > 0) failures.push(`${missing.length} events did not arrive`);
      if (wrong.length > 0) failures.push(`${wrong.length} events have other ids or bytes`);
      const repeated = receiver.arrivals.length - ids.size;
      return { trials: changes, failures, figures: { seconds: Math.round(seconds), repeated } };
    });
  };

/** After two failures, an event waits for five minutes. */
const MAX_REPEATED_MS = 7 * 60_000;

/** The receiver of docs/recipes.md, in a process of its own. */
class RecipeReceiver {
  #process: Bun.Subprocess | undefined;

  private constructor(
    readonly project: Awaited<ReturnType<typeof projectOf>>,
    readonly port: number,
  ) {}

  static open = async (): Promise<RecipeReceiver> =>
    new RecipeReceiver(await projectOf('receiver'), await freePort());

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async start(SECRET = ''): Promise<void> {
    this.#process = spawnGuarded([process.execPath, 'receiver.ts'], {
      cwd: this.project.path,
      env: { ...process.env, PORT: String(this.port), SECRET },
      ...{ stdout: 'ignore', stderr: 'ignore' },
    });
    await until(() => fetch(this.url).then(Boolean, () => false));
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#process?.exited;
  }

  /** The events that it has. */
  kept(): Map<string, string> {
    using inbox = new Database(this.project.file('inbox.db'), { readonly: true });
    inbox.run('PRAGMA busy_timeout = 5000');
    const rows = inbox.query<{ id: string; event: string }, []>('SELECT * FROM events').all();
    return new Map(rows.map(({ id, event }) => [id, event]));
  }

  async stop(): Promise<void> {
    await this.kill();
    this.project.remove();
  }
}

/** Kills the service, the receiver or both, and starts them again. */
async function killEither(shop: Shop, receiver: RecipeReceiver, secret: string, random: Random) {
  const service = random() < 2 / 3 && shop.killOne(random);
  if (!service || random() < 0.5) {
    await receiver.kill();
    await receiver.start(secret);
  }
  await service;
}

const recipe =
  (killed: number, waitMs = MAX_REPEATED_MS) =>
  async ({ engine, random, fault }: ProofOptions): Promise<Found> => {
    const receiver = await RecipeReceiver.open();
    await receiver.start();
    return withShop({ engine, processes: 1, fault }, receiver, async (shop) => {
      const { secret } = await shop.addEndpoint(receiver.url);
      await receiver.kill();
      await receiver.start(secret);
      let isOver = false;
      const writer = (async () => {
        for (; !isOver; await sleep(20)) await shop.addPets(1).catch(() => {});
      })();
      for (let kill = 0; kill < killed; kill += 1) {
        await sleep(500 + random() * 1_000);
        await killEither(shop, receiver, secret, random);
      }
      isOver = true;
      await writer;
      const events = await shop.events();
      const endMs = performance.now() + waitMs;
      while (receiver.kept().size < events.size && performance.now() < endMs) await sleep(500);
      const kept = receiver.kept();
      const wrong = [...kept].filter(([id, event]) => events.get(id) !== event);
      const failures = [
        ...(kept.size === events.size ? [] : [`${kept.size} of ${events.size} events are kept`]),
        ...(wrong.length === 0 ? [] : [`${wrong.length} events are not as in the feed`]),
      ];
      return { trials: killed, failures, figures: { events: events.size } };
    });
  };

interface WebhookTrial extends Pick<Trial, 'promise' | 'method' | 'unit' | 'lanes'> {
  readonly isRandomSample?: boolean;
  readonly prove: (options: ProofOptions) => Promise<Found>;
  readonly control: (options: ProofOptions) => Promise<Control>;
}

const PROOFS: Readonly<Record<string, WebhookTrial>> = {
  kills: {
    promise: 'Of four processes, some of which are killed, each webhook is delivered.',
    method:
      'Four processes deliver 1,000 changes to ten endpoints. Five times, one is killed, and started again. Each delivery must be accepted, and may arrive twice only if it was in progress at a kill.',
    unit: 'deliveries',
    prove: kills(1_000, 5),
    async control(options) {
      const shared = await kills(100, 1)({ ...options, fault: 'unclaimed' });
      // Long responses, so that the killed process waits for some.
      const early = await kills(100, 1, 1_000)({ ...options, fault: 'early' });
      return controlOfAll(
        'a claim excludes no other process; what is claimed counts as delivered',
        [
          shared.failures.find((text) => /repeated without a kill$/.test(text)),
          early.failures.find((text) => /deliveries were accepted$/.test(text)),
        ],
      );
    },
  },
  recipe: {
    promise: 'The receiver of the recipes has each event through kills of both sides.',
    method:
      'A client adds animals all the time. Twenty times, the service, the receiver or both are killed, and started again. The receiver must then have each event of the feed, once and word by word.',
    unit: 'rounds',
    isRandomSample: true,
    prove: recipe(20),
    control: async (options) => {
      const { failures } = await recipe(10, 60_000)({ ...options, fault: 'early' });
      return controlOf('what is claimed counts as delivered', failures, /events are kept$/);
    },
  },
  dead: {
    promise: 'A webhook endpoint that never responds does not delay others.',
    method:
      'Nine endpoints get 20 changes a second, with a tenth that never responds, and without it, in turn. The 95th percentile of the times until their arrival must be within 1.2 times of that without it.',
    unit: 'deliveries',
    lanes: 1,
    prove: dead(5, 20),
    control: async (options) => {
      const { failures } = await dead(1, 10)({ ...options, fault: 'serial' });
      return controlOf('an attempt waits for another one', failures, /percentile|arrived/);
    },
  },
  replay: {
    promise: 'A webhook receiver that was down gets the events of its day, with the same bytes.',
    method:
      'A receiver is down during 24,000 changes. When it is back, they are replayed. It must get each event, equal to that of the feed, byte by byte.',
    unit: 'events',
    prove: replay(24_000),
    control: async (options) => {
      const { failures } = await replay(200)({ ...options, fault: 'rounded' });
      return controlOf('large numbers are rounded', failures, /other ids or bytes$/);
    },
  },
};

const trialOn = (
  engine: Engine,
  { prove, control, promise, ...described }: WebhookTrial,
): Trial => ({
  isRandomSample: false,
  ...described,
  promise: `${promise.slice(0, -1)}, on ${engine}.`,
  tools: [],
  limitMinutes: LIMIT_MS / 60_000,
  run: async ({ random }) => ({
    ...(await prove({ engine, random })),
    control: await control({ engine, random }),
  }),
});

/** The delivery of webhooks, on both engines. */
export const WEBHOOK_TRIALS: Readonly<Record<string, Trial>> = Object.fromEntries(
  Object.entries(PROOFS).flatMap(([name, trial]) =>
    (['SQLite', 'PostgreSQL'] as const).map((engine) => [
      `webhooks-${name}-${engine === 'SQLite' ? 'sqlite' : 'postgres'}`,
      trialOn(engine, trial),
    ]),
  ),
);
