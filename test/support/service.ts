import type { RandomBytes } from '../../src/api-keys/api-key.ts';
import { type IssuedKey, Keyring } from '../../src/api-keys/keyring.ts';
import { type App, type AppOptions, createApp } from '../../src/app.ts';
import type { Clock, MonotonicClock } from '../../src/clock.ts';
import type { StreamIntervals } from '../../src/events/event-streams.ts';
import { SCOPES, type Scope } from '../../src/http/contract/scopes.ts';
import type { Observation } from '../../src/observe/observation.ts';
import type { UsageCounter } from '../../src/observe/usage.ts';
import type { NewPet, Pet } from '../../src/pets/pet.ts';
import { createUsageCounter } from '../../src/server/background-jobs.ts';
import type { Database } from '../../src/storage/database.ts';
import type { SenderDeps } from '../../src/webhooks/webhook-sender.ts';
import { BY_TEST } from './cause.ts';
import { requireDocumented } from './documented.ts';
import { chosenEngine, type Engine } from './engines.ts';
import { readResponse, type TestResponse } from './test-response.ts';
import { useShared } from './use-each.ts';
import { testSender } from './webhook-receiver.ts';

/** A clock that a test sets. */
interface TestClock extends Clock, MonotonicClock {
  /** Sets the time of day, as an operator does. The monotonic clock stays. */
  set(time: string | number): void;
  /** Lets time pass. */
  advance(ms: number): void;
}

function testClock(start = '2027-01-01T00:00:00Z'): TestClock {
  let now = Date.parse(start);
  let passed = 0;
  return {
    now: () => now,
    monotonicMs: () => passed,
    set(time) {
      now = typeof time === 'number' ? time : Date.parse(time);
    },
    advance(ms) {
      now += ms;
      passed += ms;
    },
  };
}

export const BASE_URLS = {
  production: 'https://store.test/v1',
  staging: 'https://staging.store.test/v1',
};

export interface RequestOptions {
  /** The API key to send. The default is the service's own key. Null sends no key. */
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  /** Text and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
}

export interface TestService extends AsyncDisposable {
  readonly app: App;
  readonly database: Database;
  readonly clock: TestClock;
  readonly usage: UsageCounter;
  /** All observations until now. */
  readonly observed: Observation[];
  /** A key with all scopes. */
  readonly key: string;
  /** Creates an API key, by default one that reads animals. */
  issueKey(scopes?: readonly Scope[], expiresAt?: number | null): Promise<IssuedKey>;
  revokeKey(id: number): Promise<unknown>;
  /** Adds an animal to the storage, without HTTP. */
  addPet(pet: NewPet): Promise<Pet>;
  /** Sends a request without a socket, and checks the response against the OpenAPI document. */
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>;
  /** All bytes in the storage. */
  storedBytes(): Promise<Buffer>;
  stopping: boolean;
  close(): Promise<void>;
}

/** The options unless a test sets others. */
const DEFAULTS: AppOptions = {
  extensions: true,
  console: true,
  requireIfMatch: false,
  requireKnownCategory: false,
  orderHoldMs: 30 * 60_000,
  corsOrigins: [],
  rateLimit: undefined,
  requestTimeoutMs: 30_000,
  eventStreams: 1_000,
};

const HOUR_MS = 3_600_000;
const SELDOM: StreamIntervals = { poll: HOUR_MS, heartbeat: HOUR_MS, keyCheck: HOUR_MS };

export interface TestServiceOptions {
  readonly environment?: 'production' | 'staging';
  readonly options?: Partial<AppOptions>;
  readonly logClientAddress?: boolean;
  /** Puts something between the service and its real database. */
  readonly wrap?: (database: Database) => Database;
  /** The default is the engine that TEST_ENGINE names. */
  readonly engine?: Engine;
  /** How often streams of events do something. By default only if a test asks them to. */
  readonly streamIntervals?: StreamIntervals;
  /** The source of the API keys. */
  readonly randomBytes?: RandomBytes;
  /** How webhooks are sent, by default to this machine only. Null: there are none. */
  readonly sender?: Partial<SenderDeps> | null;
}

/** A service that the tests of a file, or of a group, share. */
export const useService = (options?: TestServiceOptions): TestService =>
  useShared(() => startService(options));

/** Starts the whole service on a real storage of its own, with a test clock and predictable ids. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const storage = await (options.engine ?? chosenEngine()).open();
  const real = storage.database;
  const database = options.wrap?.(real) ?? real;
  const clock = testClock();
  const observed: Observation[] = [];
  const environment = options.environment ?? 'production';
  const keyring = new Keyring({ clock, environment, randomBytes: options.randomBytes });
  const usage = createUsageCounter(real, clock);
  let requests = 0;
  const issue = (name: string, scopes: readonly Scope[], expiresAt: number | null) =>
    real.write(BY_TEST, ({ apiKeys }) => keyring.create(apiKeys, { name, scopes, expiresAt }));
  const service: TestService = {
    database,
    clock,
    usage,
    observed,
    stopping: false,
    key: (await issue('test', SCOPES, null)).secret,
    app: createApp({
      database,
      keyring,
      usage,
      sender: options.sender === null ? undefined : testSender({ clock, ...options.sender }),
      observe: (observation) => observed.push(observation),
      clock,
      generateRequestId: () => `request-${requests++}`,
      baseUrls: BASE_URLS,
      baseUrl: BASE_URLS[environment],
      options: { ...DEFAULTS, ...options.options },
      addressOf: options.logClientAddress
        ? (request) => request.headers.get('x-forwarded-for') ?? '127.0.0.1'
        : undefined,
      isStopping: () => service.stopping,
      streamIntervals: options.streamIntervals ?? SELDOM,
    }),
    issueKey: (scopes = ['pets:read'], expiresAt = null) => issue('another', scopes, expiresAt),
    revokeKey: (id) => real.write(BY_TEST, ({ apiKeys }) => keyring.revoke(apiKeys, id)),
    addPet: (pet) => real.write(BY_TEST, ({ pets }) => pets.create(pet)),
    async request(method, path, options = {}) {
      const request = toRequest(method, path, service.key, options);
      const sent = request.clone() as Request;
      const response = await readResponse(await service.app.fetch(request));
      await requireDocumented(sent, response);
      return response;
    },
    storedBytes: storage.bytes,
    async close() {
      service.app.streams.stop();
      await storage.remove();
    },
    [Symbol.asyncDispose]: () => service.close(),
  };
  return service;
}

function toRequest(
  method: string,
  path: string,
  ownKey: string,
  { key = ownKey, headers = {}, body }: RequestOptions,
): Request {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
  return new Request(`http://127.0.0.1${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(isRaw ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  });
}
