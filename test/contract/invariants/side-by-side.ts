import { expect } from 'bun:test';
import type { RandomBytes } from '../../../src/api-keys/api-key.ts';
import type { Scope } from '../../../src/http/contract/scopes.ts';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { deleteEndedOrders, expireOrders } from '../../../src/server/background-jobs.ts';
import type { Engine } from '../../support/engines.ts';
import { readEvents } from '../../support/event-requests.ts';
import { type RequestOptions, startService, type TestService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';
import { EventModel } from './event-model.ts';
import { type Expected, Model } from './model.ts';
import type { Step } from './sequences.ts';
import type { RequestStep } from './steps.ts';

const MINUTE_MS = 60_000;
const HOLD_MS = 30 * MINUTE_MS;
const RETENTION_MS = 90 * MINUTE_MS;

interface CreatedKey {
  readonly id: number;
  readonly secret: string;
  readonly scopes: readonly Scope[];
  /** Its expiry when it was created. */
  readonly grantedUntil: number;
  endsAt: number;
  revoked: boolean;
  /** Whether it has a successor. */
  rotated: boolean;
}

const NEW = { revoked: false, rotated: false };

/**
 * Takes the steps on a service for each engine and on the model. With `check`, compares all animals and orders after each step, too.
 * @throws if any two disagree
 */
export async function takeSideBySide(
  engines: readonly Engine[],
  steps: readonly Step[],
  check?: (model: Model) => void,
): Promise<void> {
  const services: TestService[] = [];
  try {
    for (const engine of engines) {
      const options = { orderHoldMs: HOLD_MS };
      services.push(await startService({ engine, options, randomBytes: repeatableBytes() }));
    }
    const sideBySide = new SideBySide(services);
    for (const step of steps) {
      await sideBySide.takeAndRecord(step);
      if (check === undefined) continue;
      await sideBySide.compareSales();
      check(sideBySide.model);
    }
    await sideBySide.compareAll();
  } finally {
    for (const service of services) await service.close();
  }
}

/** The same pseudorandom bytes for every service, so that their API keys are equal. */
export function repeatableBytes(): RandomBytes {
  let state = 1;
  return (bytes) => {
    for (let index = 0; index < bytes.length; index += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      bytes[index] = state >>> 24;
    }
    return bytes;
  };
}

/** Services and a model that take the same steps. */
class SideBySide {
  readonly #services: readonly TestService[];
  readonly model: Model;
  readonly #events: EventModel;
  readonly #keys: CreatedKey[] = [];
  #retryable = 0;

  constructor(services: readonly TestService[]) {
    this.#services = services;
    this.model = new Model(services[0]?.clock.now() ?? 0, HOLD_MS);
    this.#events = new EventModel(this.model);
  }

  async takeAndRecord(step: Step): Promise<void> {
    await this.take(step);
    this.#events.step();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'request':
        return this.#request(step.request, step.retries);
      case 'wait':
        return this.#wait(step.minutes * MINUTE_MS);
      case 'delete ended orders':
        return this.#deleteEndedOrders();
      case 'create a key':
        return this.#createKey(step.scopes, step.minutes);
      case 'revoke a key':
        return this.#revokeKey(this.#keys[step.key]);
      case 'rotate a key':
        return this.#rotateKey(this.#keys[step.key], step.graceMinutes);
      case 'list the keys':
        return this.#listKeys();
      case 'use a key':
        return this.#useKey(this.#keys[step.key]);
    }
  }

  /** Compares all animals and orders with the model. */
  async compareSales(): Promise<void> {
    const every = { limit: 100 };
    await this.#compare(
      '/pets?limit=100',
      this.model.listPets(every, () => true),
    );
    await this.#compare(
      '/store/orders?limit=100',
      this.model.listOrders(every, () => true),
    );
  }

  /** Compares all resources, keys and events with the model. */
  async compareAll(): Promise<void> {
    await this.compareSales();
    await this.#compare('/categories?limit=100', this.model.listCategories({ limit: 100 }));
    await this.#compare('/store/inventory', this.model.inventory());
    await this.#listKeys();
    for (const service of this.#services) this.#events.compare(await readEvents(service));
  }

  async #compare(path: string, expected: Expected): Promise<void> {
    requireSame(await this.#send('GET', `/v1${path}`), expected);
  }

  /** The response of all services. @throws if they differ */
  async #send(method: string, path: string, options: RequestOptions = {}): Promise<TestResponse> {
    const responses: TestResponse[] = [];
    for (const service of this.#services)
      responses.push(await service.request(method, path, options));
    const [first, ...others] = responses as [TestResponse, ...TestResponse[]];
    for (const other of others) expect(comparable(other)).toEqual(comparable(first));
    return first;
  }

  async #request({ method, path, body, expect }: RequestStep, retries: number): Promise<void> {
    const expected = expect(this.model);
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': `retry-${this.#retryable++}`,
    };
    const sent = body === undefined ? {} : { headers, body: renderExactJson(body) };
    const send = () => this.#send(method, `/v1${path}`, sent);
    const first = await send();
    requireSame(first, expected);
    if (method !== 'POST' || first.status !== 201) return;
    for (let retry = 0; retry < retries; retry += 1) {
      const again = await send();
      requireSame(again, expected);
      requireEqual(again.text, first.text);
      requireEqual(again.headers.get('idempotency-replayed'), 'true');
    }
  }

  async #wait(ms: number): Promise<void> {
    this.model.advance(ms);
    for (const { clock, database } of this.#services) {
      clock.advance(ms);
      await expireOrders({ database, clock, observe: () => {} });
    }
  }

  async #deleteEndedOrders(): Promise<void> {
    this.model.deleteOrdersEndedBefore(this.model.now - RETENTION_MS);
    const job = { observe: () => {}, orderRetentionMs: RETENTION_MS };
    for (const { clock, database } of this.#services)
      await deleteEndedOrders({ ...job, database, clock }, async () => true);
  }

  async #createKey(scopes: readonly Scope[], minutes: number | null): Promise<void> {
    const endsAt =
      minutes === null ? Number.POSITIVE_INFINITY : this.model.now + minutes * MINUTE_MS;
    const expiresAt = minutes === null ? {} : { expiresAt: new Date(endsAt).toISOString() };
    const body = { name: 'made', scopes, ...expiresAt };
    const { json, status } = await this.#send('POST', '/v1/api-keys', { body });
    requireEqual(status, 201);
    const { id, key } = json as { id: number; key: string };
    this.#keys.push({ ...NEW, id, secret: key, scopes, grantedUntil: endsAt, endsAt });
  }

  async #revokeKey(key: CreatedKey | undefined): Promise<void> {
    if (key === undefined) return;
    const { status } = await this.#send('DELETE', `/v1/api-keys/${key.id}`);
    requireEqual(status, key.revoked ? 404 : 204);
    key.revoked = true;
  }

  async #rotateKey(key: CreatedKey | undefined, graceMinutes: number): Promise<void> {
    if (key === undefined) return;
    const body = { gracePeriodSeconds: graceMinutes * 60 };
    const path = `/v1/api-keys/${key.id}/rotate`;
    const { json, status } = await this.#send('POST', path, { body });
    requireEqual(status, this.#isUsable(key) && !key.rotated ? 201 : 404);
    if (status !== 201) return;
    const { id, key: secret } = json as { id: number; key: string };
    const { scopes, grantedUntil } = key;
    this.#keys.push({ ...NEW, id, secret, scopes, grantedUntil, endsAt: grantedUntil });
    key.rotated = true;
    key.endsAt = Math.min(key.endsAt, this.model.now + graceMinutes * MINUTE_MS);
  }

  async #listKeys(): Promise<void> {
    const { json } = await this.#send('GET', '/v1/api-keys?limit=100');
    const [own, ...listed] = json as { id: number; expiresAt?: string; revokedAt?: string }[];
    requireEqual(own?.id, 1);
    expect(
      listed.map(({ id, expiresAt, revokedAt }) => [id, expiresAt, revokedAt !== undefined]),
    ).toEqual(
      this.#keys.map(({ id, endsAt, revoked }) => [
        id,
        Number.isFinite(endsAt) ? new Date(endsAt).toISOString() : undefined,
        revoked,
      ]),
    );
  }

  #isUsable({ revoked, endsAt }: CreatedKey): boolean {
    return !revoked && this.model.now < endsAt;
  }

  async #useKey(key: CreatedKey | undefined): Promise<void> {
    if (key === undefined) return;
    const { status } = await this.#send('GET', '/v1/pets?limit=1', { key: key.secret });
    requireEqual(
      status,
      this.#isUsable(key) ? (key.scopes.includes('pets:read') ? 200 : 403) : 401,
    );
  }
}

/** Headers that differ for each response. */
const VARYING_HEADERS = new Set(['date', 'x-request-id']);

const comparable = ({ status, headers, text }: TestResponse) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !VARYING_HEADERS.has(name)).sort(),
});

function requireSame(response: { status: number; json: unknown }, expected: Expected): void {
  requireEqual(response.status, expected.status);
  if ('code' in expected) expect(response.json).toMatchObject({ code: expected.code });
  else expect(response.json).toEqual(expected.body);
}

const requireEqual = (actual: unknown, wanted: unknown): void => {
  expect(actual).toBe(wanted as never);
};
