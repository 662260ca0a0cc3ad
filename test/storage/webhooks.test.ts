/** The endpoints of webhooks, their secrets and their deliveries. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { deleteOldEvents } from '../../src/server/background-jobs.ts';
import { SecretSeal, UnknownSealKey } from '../../src/webhooks/sealed-secrets.ts';
import type {
  NewWebhookEndpoint,
  WebhookEndpoint,
  WebhookStore,
} from '../../src/webhooks/webhook-store.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { startService, type TestService } from '../support/service.ts';
import { addPets, rex } from './animals.ts';
import { copy, storageOpener } from './copying.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SECRET = Uint8Array.from({ length: 24 }, (_, index) => index);
const ENDPOINT: NewWebhookEndpoint = {
  ...{ url: 'https://shop.test/', status: 'enabled', createdAt: '2027-01-01T00:00:00.000Z' },
};
const open = storageOpener();

describe.each(ENGINES)('in $name', (engine) => {
  let service: TestService;
  let now: number;
  beforeEach(async () => {
    service = await startService({ engine });
    now = service.clock.now();
  });
  afterEach(() => service.close());

  const write = <T>(work: (webhooks: WebhookStore) => T) =>
    service.database.write(BY_TEST, ({ webhooks }) => work(webhooks) as T);
  const read = () => service.database.read.webhooks;
  const add = (fields: Partial<NewWebhookEndpoint> = {}) =>
    write((webhooks) => webhooks.add({ ...ENDPOINT, ...fields }));
  const subjects = async (id: number) =>
    (await read().listDeliveries(id, undefined, 100)).map(({ subject }) => subject).reverse();

  test('an endpoint gets the events after its creation once, of its types, and none of API keys', async () => {
    await addPets(service, 1);
    const [all, some] = [await add(), await add({ types: 'api_key.created pet.deleted' })];
    await addPets(service, 3);
    await service.issueKey();
    await service.database.read.events.feed();
    expect(await read().work(now)).toMatchObject([{ isBehind: true }, { isBehind: true }]);
    for (const { id } of [some, all, some, all])
      await write((webhooks) => webhooks.fanOut(id, 2, now - Number(id)));
    expect(await read().totals(now)).toEqual({ disabled: 0, oldestDueAt: now - 2 });
    expect(await read().work(now)).toMatchObject([{ isBehind: false }, { isBehind: false }]);
    expect(await subjects(1)).toEqual(['pets/2', 'pets/3', 'pets/4']);
    expect(await subjects(2)).toEqual(['api-keys/2']);
  });

  test('a claim excludes others until it ends, and only its holder stores a result', async () => {
    await add();
    await addPets(service, 3);
    await write((webhooks) => webhooks.fanOut(1, 9, now));
    const claim = (count: number, at: number) =>
      write((webhooks) => webhooks.claim(1, count, at, at + 30));
    const first = await claim(2, now);
    expect(first.map(({ event: { subject } }) => subject)).toEqual(['pets/1', 'pets/2']);
    expect(await claim(9, now)).toHaveLength(1);
    expect(await read().work(now + 29)).toMatchObject([{ isDue: false }]);
    expect(await claim(9, now + 30)).toHaveLength(3);
    const attempt = { attempts: 1, attemptedAt: now, durationMs: 5 };
    const result = { ...attempt, status: 'delivered', lastStatus: 200 } as const;
    const settle = (until: number) =>
      write((webhooks) => webhooks.settle(1, until, { ...result, lastError: null, nextAt: null }));
    expect(await settle(now + 30)).toBe(false);
    expect(await settle(now + 60)).toBe(true);
    expect(await read().listDeliveries(1, 2, 9)).toMatchObject([
      { id: 1, type: 'pet.created', status: 'delivered', attempts: 1, durationMs: 5 },
    ]);
    expect(await claim(9, now + 60)).toHaveLength(2);
  });

  test('a replay makes deliveries of its range due, also those that there were not yet', async () => {
    await addPets(service, 2);
    service.clock.advance(1_000);
    await addPets(service, 3);
    service.clock.advance(1_000);
    await addPets(service, 1);
    const endpoint = await add();
    await addPets(service, 1);
    const replay = (after: number, until: number, onlyFailed = false, most = 9) =>
      write((webhooks) => webhooks.replay(endpoint, { after, until, onlyFailed }, now, most));
    const started = now;
    now = service.clock.now();
    expect(await replay(started + 1_000, started + 2_000, true)).toBe(0);
    expect(await replay(started + 1_000, started + 2_000, false, 2)).toBeUndefined();
    expect(await replay(started + 1_000, started + 2_000, false, 3)).toBe(3);
    expect(await subjects(1)).toEqual(['pets/3', 'pets/4', 'pets/5']);
    for (const _ of [1, 2]) {
      expect(await replay(0, started + 9_000)).toBe(6);
      expect(await write((webhooks) => webhooks.claim(1, 9, now, now + 30))).toHaveLength(6);
    }
    await write((webhooks) => webhooks.disableRestored());
    expect(await replay(started + 1_000, started + 2_000, true)).toBe(3);
  });

  test('the deliveries of deleted events are deleted, also those of deleted endpoints', async () => {
    await add();
    await addPets(service, 2);
    service.clock.advance(2 * DAY_MS);
    await addPets(service, 1);
    await write((webhooks) => webhooks.fanOut(1, 9, now));
    await write((webhooks) => webhooks.remove(1));
    expect(await write((webhooks) => webhooks.redeliver(1, now))).toBe(false);
    expect(await subjects(1)).toHaveLength(3);
    await deleteOldEvents({ ...service, eventRetentionMs: DAY_MS }, async () => true);
    expect(await subjects(1)).toEqual(['pets/3']);
  });

  test('a renewal of the database disables endpoints, and gives up what is pending', async () => {
    await add();
    await add({ status: 'disabled', disabledReason: 'gone' });
    await addPets(service, 1);
    await write((webhooks) => webhooks.fanOut(1, 9, now));
    expect(await write((webhooks) => webhooks.disableRestored())).toBe(1);
    const endpoints = await read().listEndpoints(undefined, 9);
    expect(endpoints.map(({ disabledReason }) => disabledReason)).toEqual(['restored', 'gone']);
    expect(await read().listDeliveries(1, undefined, 9)).toMatchObject([{ status: 'failed' }]);
    expect(await read().totals(now)).toEqual({ disabled: 2, oldestDueAt: null });
  });

  test('an endpoint that a client disables has an event, and misses those until it is enabled', async () => {
    const endpoint = await add();
    const off = { ...endpoint, status: 'disabled', disabledReason: 'requested' } as const;
    for (const _ of [1, 2]) await write((webhooks) => webhooks.replace(off));
    await addPets(service, 1);
    await write((webhooks) => webhooks.replace(endpoint));
    await addPets(service, 1);
    const enabled = (await read().get(1)) as WebhookEndpoint;
    await write((webhooks) => webhooks.replace({ ...enabled, url: 'https://other.test/' }));
    await write((webhooks) => webhooks.fanOut(1, 9, now));
    expect(await subjects(1)).toEqual(['pets/2']);
    const { json } = await service.request('GET', '/v1/events?type=webhook_endpoint.disabled');
    expect(json).toMatchObject([
      { subject: 'webhook-endpoints/1', data: { id: 1, disabledReason: 'requested' } },
    ]);
    await write((webhooks) => webhooks.replace(off));
    expect(await read().totals(now)).toEqual({ disabled: 0, oldestDueAt: null });
  });

  test('a copy has all endpoints, disabled, and nothing pending, and can be repeated', async () => {
    const [source, target] = [await open(engine), await open(engine)];
    await source.database.write(BY_TEST, ({ webhooks }) => webhooks.add(ENDPOINT));
    await source.database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    await source.database.read.events.feed();
    await source.database.write(BY_TEST, ({ webhooks }) => webhooks.fanOut(1, 9, now));
    const { digest } = await copy(source, target.database);
    const { webhooks } = target.database.read;
    expect(await webhooks.listEndpoints(undefined, 9)).toMatchObject([
      { status: 'disabled', disabledReason: 'restored' },
    ]);
    expect(await webhooks.listDeliveries(1, undefined, 9)).toMatchObject([
      { status: 'failed', nextAt: null, lastError: 'restored' },
    ]);
    expect(await copy(source, target.database)).toEqual({ isNew: false, digest });
  });
});

describe('a sealed secret', () => {
  const [old, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const sealed = new SecretSeal([old]).seal(SECRET);

  test('is opened by its key, also as a previous one', () => {
    const both = new SecretSeal([current, old]);
    expect([...both.open(sealed)]).toEqual([...SECRET]);
    expect(sealed).toHaveLength(4 + 12 + SECRET.length + 16);
    expect(both.isCurrent(sealed)).toBe(false);
    expect(both.isCurrent(both.seal(SECRET))).toBe(true);
    expect(Buffer.from(sealed).includes(Buffer.from(SECRET))).toBe(false);
  });

  test('is not opened by another key, nor when a byte has changed', () => {
    expect(() => new SecretSeal([current]).open(sealed)).toThrow(UnknownSealKey);
    const changed = sealed.with(40, (sealed[40] ?? 0) ^ 1);
    expect(() => new SecretSeal([old]).open(changed)).toThrow();
  });
});
