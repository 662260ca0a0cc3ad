import { DEFAULT_SCOPES, type RandomBytes } from '../../src/api-keys/api-key.ts';
import { type IssuedKey, Keyring } from '../../src/api-keys/keyring.ts';
import { type App, type AppRules, createApp } from '../../src/app.ts';
import type { Clock, MonotonicClock } from '../../src/clock.ts';
import { SCOPES, type Scope } from '../../src/http/contract/scopes.ts';
import { parseExactJson } from '../../src/http/request/exact-json.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { UsageCounter } from '../../src/observe/usage.ts';
import type { NewPet, Pet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { requireDocumented } from './documented.ts';
import { chosenEngine, type Engine } from './engines.ts';
import type { TestAnswer } from './test-answer.ts';

/** A clock that stands still until it is moved. */
interface TestClock extends Clock, MonotonicClock {
  /** Sets the time of day, as an operator does. No time passes. */
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
  /** The API key to send: the service's own unless another is given; null sends none. */
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  /** Sent as it is when it is text or bytes, otherwise as JSON. */
  readonly body?: unknown;
}

export interface TestService {
  readonly app: App;
  readonly database: Database;
  readonly clock: TestClock;
  readonly usage: UsageCounter;
  /** Everything that was observed so far. */
  readonly observed: Observation[];
  /** A key with all scopes. */
  readonly key: string;
  /** Makes a key. */
  issueKey(scopes?: readonly Scope[], expiresAt?: number | null): Promise<IssuedKey>;
  revokeKey(id: number): Promise<unknown>;
  /** Adds an animal, past HTTP. */
  addPet(pet: NewPet): Promise<Pet>;
  /** Sends a request without a socket, and holds its answer against the OpenAPI document. */
  request(method: string, path: string, options?: RequestOptions): Promise<TestAnswer>;
  /** All that its storage keeps, as bytes. */
  storedBytes(): Promise<Buffer>;
  stopping: boolean;
  close(): Promise<void>;
}

/** What holds unless a test says otherwise. */
const RULES: AppRules = {
  extensions: true,
  requireIfMatch: false,
  requireKnownCategory: false,
  orderHoldMs: 30 * 60_000,
  corsOrigins: [],
  rateLimit: undefined,
  requestTimeoutMs: 30_000,
};

export interface TestServiceOptions {
  readonly environment?: 'production' | 'staging';
  readonly rules?: Partial<AppRules>;
  /** Puts something between the service and its real database. */
  readonly wrap?: (database: Database) => Database;
  /** The engine of its storage: that which TEST_ENGINE names unless another is given. */
  readonly engine?: Engine;
  /** What its API keys are made of. */
  readonly randomBytes?: RandomBytes;
}

/** The whole service on a real storage of its own, with a clock and ids that the test decides. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const storage = await (options.engine ?? chosenEngine()).open();
  const real = storage.database;
  const database = options.wrap?.(real) ?? real;
  const clock = testClock();
  const observed: Observation[] = [];
  const environment = options.environment ?? 'production';
  const keyring = new Keyring({
    clock,
    environment,
    randomBytes: options.randomBytes ?? ((bytes) => crypto.getRandomValues(bytes)),
  });
  const usage = new UsageCounter((counted) => real.write((stores) => stores.usage.add(counted)));
  let requests = 0;
  const issue = (name: string, scopes: readonly Scope[], expiresAt: number | null) =>
    real.write(({ apiKeys }) => keyring.create(apiKeys, { name, scopes, expiresAt }));
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
      observe: (observation) => observed.push(observation),
      clock,
      generateRequestId: () => `request-${requests++}`,
      baseUrls: BASE_URLS,
      baseUrl: BASE_URLS[environment],
      rules: { ...RULES, ...options.rules },
      addressOf: (request) => request.headers.get('x-forwarded-for') ?? '127.0.0.1',
      isStopping: () => service.stopping,
    }),
    issueKey: (scopes = DEFAULT_SCOPES, expiresAt = null) => issue('another', scopes, expiresAt),
    revokeKey: (id) => real.write(({ apiKeys }) => keyring.revoke(apiKeys, id)),
    addPet: (pet) => real.write(({ pets }) => pets.create(pet)),
    async request(method, path, options = {}) {
      const request = toRequest(method, path, service.key, options);
      const sent = request.clone() as Request;
      const answer = await readAnswer(await service.app.fetch(request));
      await requireDocumented(sent, answer);
      return answer;
    },
    storedBytes: storage.bytes,
    async close() {
      await database.close();
      await storage.remove();
    },
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

/** Reads an answer whole. */
async function readAnswer(response: Response): Promise<TestAnswer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? parseExactJson(text) : undefined,
  };
}
