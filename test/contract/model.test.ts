/** Any sequence of operations agrees with a model that is maps and arrays. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { expireOrders } from '../../src/housekeeping.ts';
import { renderExactJson } from '../../src/http/exact-json.ts';
import { SCOPES, type Scope } from '../../src/http/operation.ts';
import { type Expected, Model } from '../support/model.ts';
import { startService, type TestService } from '../support/service.ts';
import { anyRequestStep, type RequestStep } from '../support/steps.ts';

const SEQUENCES = 2_000;
const MINUTE_MS = 60_000;
const HOLD_MS = 30 * MINUTE_MS;

/** Replay a failure with MODEL_SEED=<the seed that was printed>. */
const seed = Number(process.env['MODEL_SEED'] ?? crypto.getRandomValues(new Int32Array(1))[0]);

type Step =
  | { readonly do: 'request'; readonly request: RequestStep; readonly retries: number }
  | { readonly do: 'wait'; readonly minutes: number }
  | {
      readonly do: 'make a key';
      readonly scopes: readonly Scope[];
      readonly minutes: number | null;
    }
  | { readonly do: 'revoke a key'; readonly key: number }
  | { readonly do: 'rotate a key'; readonly key: number; readonly graceMinutes: number }
  | { readonly do: 'list the keys' }
  | { readonly do: 'use a key'; readonly key: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      request: anyRequestStep,
      retries: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  },
  fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 40 }) }),
  fc.record({
    do: fc.constant('make a key' as const),
    scopes: fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1 }),
    minutes: fc.option(fc.integer({ min: 1, max: 60 })),
  }),
  fc.record({ do: fc.constant('revoke a key' as const), key: fc.nat(3) }),
  fc.record({
    do: fc.constant('rotate a key' as const),
    key: fc.nat(3),
    graceMinutes: fc.nat(20),
  }),
  fc.constant({ do: 'list the keys' as const }),
  fc.record({ do: fc.constant('use a key' as const), key: fc.nat(3) }),
);

interface MadeKey {
  readonly id: number;
  readonly secret: string;
  readonly scopes: readonly Scope[];
  /** The expiry that it was made with. */
  readonly grantedUntil: number;
  endsAt: number;
  revoked: boolean;
}

/** A service and a model that go through the same. */
class Pair {
  readonly #keys: MadeKey[] = [];
  #retryable = 0;

  constructor(
    readonly service: TestService,
    readonly model: Model,
  ) {}

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'request':
        return this.#request(step.request, step.retries);
      case 'wait':
        return this.#wait(step.minutes * MINUTE_MS);
      case 'make a key':
        return this.#makeKey(step.scopes, step.minutes);
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

  async #request({ method, path, body, expect }: RequestStep, retries: number): Promise<void> {
    const expected = expect(this.model);
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': `retry-${this.#retryable++}`,
    };
    const sent = body === undefined ? {} : { headers, body: renderExactJson(body) };
    const send = () => this.service.request(method, `/v1${path}`, sent);
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
    this.service.clock.advance(ms);
    const { database, clock } = this.service;
    await expireOrders({ database, clock, observe: () => {} });
  }

  async #makeKey(scopes: readonly Scope[], minutes: number | null): Promise<void> {
    const endsAt =
      minutes === null ? Number.POSITIVE_INFINITY : this.model.now + minutes * MINUTE_MS;
    const expiresAt = minutes === null ? {} : { expiresAt: new Date(endsAt).toISOString() };
    const body = { name: 'made', scopes, ...expiresAt };
    const { json, status } = await this.service.request('POST', '/v1/api-keys', { body });
    requireEqual(status, 201);
    const { id, key } = json as { id: number; key: string };
    this.#keys.push({ id, secret: key, scopes, grantedUntil: endsAt, endsAt, revoked: false });
  }

  async #revokeKey(key: MadeKey | undefined): Promise<void> {
    if (key === undefined) return;
    const { status } = await this.service.request('DELETE', `/v1/api-keys/${key.id}`);
    requireEqual(status, key.revoked ? 404 : 204);
    key.revoked = true;
  }

  async #rotateKey(key: MadeKey | undefined, graceMinutes: number): Promise<void> {
    if (key === undefined) return;
    const body = { gracePeriodSeconds: graceMinutes * 60 };
    const path = `/v1/api-keys/${key.id}/rotate`;
    const { json, status } = await this.service.request('POST', path, { body });
    requireEqual(status, this.#isUsable(key) ? 201 : 404);
    if (status !== 201) return;
    const { id, key: secret } = json as { id: number; key: string };
    const { scopes, grantedUntil } = key;
    this.#keys.push({ id, secret, scopes, grantedUntil, endsAt: grantedUntil, revoked: false });
    key.endsAt = Math.min(key.endsAt, this.model.now + graceMinutes * MINUTE_MS);
  }

  async #listKeys(): Promise<void> {
    const { json } = await this.service.request('GET', '/v1/api-keys?limit=100');
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

  #isUsable({ revoked, endsAt }: MadeKey): boolean {
    return !revoked && this.model.now < endsAt;
  }

  async #useKey(key: MadeKey | undefined): Promise<void> {
    if (key === undefined) return;
    const { status } = await this.service.request('GET', '/v1/pets?limit=1', { key: key.secret });
    requireEqual(
      status,
      this.#isUsable(key) ? (key.scopes.includes('pets:read') ? 200 : 403) : 401,
    );
  }
}

function requireSame(answer: { status: number; json: unknown }, expected: Expected): void {
  requireEqual(answer.status, expected.status);
  if ('code' in expected) expect(answer.json).toMatchObject({ code: expected.code });
  else expect(answer.json).toEqual(expected.body);
}

const requireEqual = (actual: unknown, wanted: unknown): void => {
  expect(actual).toBe(wanted as never);
};

test(`any of ${SEQUENCES} sequences (seed ${seed}) of requests, retries, waits and keys agrees with the model`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 40, size: 'max' }), async (steps) => {
      const service = await startService({ rules: { orderHoldMs: HOLD_MS } });
      try {
        const pair = new Pair(service, new Model(service.clock.now(), HOLD_MS));
        for (const step of steps) await pair.take(step);
      } finally {
        await service.close();
      }
    }),
    { numRuns: SEQUENCES, seed },
  );
}, 300_000);
