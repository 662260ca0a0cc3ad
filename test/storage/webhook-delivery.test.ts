/** What the service sends to webhook endpoints, when, and where not. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Int64 } from '../../src/int64.ts';
import { chain, type MaybePromise } from '../../src/maybe-promise.ts';
import { createDeliverer } from '../../src/server/background-jobs.ts';
import type { Stores } from '../../src/storage/database.ts';
import { retryAt } from '../../src/webhooks/retry-schedule.ts';
import { SecretSeal } from '../../src/webhooks/sealed-secrets.ts';
import type { DelivererDeps } from '../../src/webhooks/webhook-deliverer.ts';
import type { SenderDeps } from '../../src/webhooks/webhook-sender.ts';
import type { WebhookEndpoint, WebhookStore } from '../../src/webhooks/webhook-store.ts';
import { withMethods } from '../contract/with-methods.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  isSignedBy,
  type Receiver,
  startReceiver,
  testSender,
} from '../support/webhook-receiver.ts';
import { addPets } from './animals.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const DAY = 24 * HOUR;
/** Of the design. */
const PAUSES = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR],
  ...[10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];

test('a pause differs by up to a tenth, at random', () => {
  const dates = [0, 0.5, 1].map((random) => retryAt(2, 1_000, random));
  expect(dates).toEqual([271_000, 301_000, 331_000]);
});

describe.each(ENGINES)('in $name', (engine) => {
  let service: TestService;
  let receiver: Receiver;
  beforeEach(async () => {
    service = await startService({ engine });
    receiver = startReceiver();
  });
  afterEach(async () => {
    await receiver[Symbol.asyncDispose]();
    await service.close();
  });

  type Deps = Partial<DelivererDeps & Pick<TestService, 'database'>>;
  const delivererOf = (sender: Partial<SenderDeps> = {}, deps: Deps = {}) =>
    createDeliverer({
      ...{ database: service.database, clock: service.clock, concurrency: 16, random: () => 0.5 },
      ...{ sender: testSender({ clock: service.clock, ...sender }), wake: () => {}, ...deps },
      observe: (observation) => service.observed.push(observation),
    });
  const create = async (url = receiver.url) => {
    const { json } = await service.request('POST', '/v1/webhook-endpoints', { body: { url } });
    receiver.received.length = 0;
    return json as { id: number; secret: string };
  };
  const deliveries = async (id: Int64) =>
    service.database.read.webhooks.listDeliveries(id, undefined, 99);
  /** Until when deliveries are claimed. */
  const claims = async (...ids: readonly Int64[]) =>
    (await Promise.all(ids.map(deliveries))).flat().flatMap((one) => one.claimedUntil || []);
  const write = (work: (webhooks: WebhookStore) => MaybePromise<unknown>) =>
    service.database.write(BY_TEST, ({ webhooks }) => work(webhooks));
  const endpoint = async (id: number) => service.database.read.webhooks.get(id);
  /** Runs until nothing is due, and no attempt is in progress. */
  const deliverAll = async (deliverer: ReturnType<typeof delivererOf>) => {
    const { webhooks } = service.database.read;
    for (;;) {
      await deliverer.run();
      const work = await webhooks.work(service.clock.now());
      const isBusy = work.some(({ isBehind, isDue }) => isBehind || isDue);
      if (!isBusy && (await claims(...work.map(({ id }) => id))).length === 0) return;
      await Bun.sleep(1);
    }
  };

  test('each event arrives once, signed, with its id in the feed, and as in the list', async () => {
    const { id, secret } = await create();
    await addPets(service, 20);
    const { json } = await service.request('GET', '/v1/events?type=pet.created&limit=100');
    const [one, other] = [delivererOf(), delivererOf()];
    await Promise.all([deliverAll(one), deliverAll(other)]);
    const { received } = receiver;
    expect(received.every((webhook) => isSignedBy(webhook, secret))).toBe(true);
    const sorted = received
      .map(({ body }) => JSON.parse(body))
      .sort((a, b) => a.data.id - b.data.id);
    expect(sorted).toEqual(json as never);
    expect(received.map(({ body, id: sent }) => JSON.parse(body).id === sent)).not.toContain(false);
    expect(new Set((await deliveries(id)).map(({ status }) => status))).toEqual(
      new Set(['delivered']),
    );
  });

  test('a failed delivery is attempted again to the second of the schedule, with the same bytes, and then given up', async () => {
    const { id } = await create();
    receiver.respond = () => new Response('x'.repeat(1_000_000), { status: 500 });
    await addPets(service, 1);
    const deliverer = delivererOf();
    await deliverAll(deliverer);
    for (const [index, pause] of PAUSES.entries()) {
      service.clock.advance(pause - 1);
      await deliverAll(deliverer);
      expect(receiver.received).toHaveLength(index + 1);
      service.clock.advance(1);
      await deliverAll(deliverer);
      expect(receiver.received).toHaveLength(index + 2);
    }
    expect(new Set(receiver.received.map(({ body, id: sent }) => sent + body)).size).toBe(1);
    const last = { attempts: 10, nextAt: null, lastStatus: 500, lastError: 'unsuccessful_status' };
    expect(await deliveries(id)).toMatchObject([{ status: 'failed', ...last }]);
    expect(await endpoint(id)).toMatchObject({
      status: 'enabled',
      failingSince: expect.any(String),
    });
    receiver.respond = () => new Response();
    const replay = { after: '2027-01-01T00:00:00Z', onlyFailed: true };
    const path = `/v1/webhook-endpoints/${id}/replay`;
    expect((await service.request('POST', path, { body: replay })).json).toEqual({ count: 1 });
    await deliverAll(deliverer);
    expect(receiver.received.at(-1)?.body).toBe(receiver.received[0]?.body);
    expect(await endpoint(id)).not.toHaveProperty('failingSince');
  });

  test('a secret that nobody can open does not keep others from being sealed anew, and has no effect once expired', async () => {
    const [old, other] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    const [{ id }] = [await create(), await create()];
    const foreign = new SecretSeal([Buffer.alloc(32, 9)]).seal(new Uint8Array(24));
    const secrets = async () =>
      (await service.database.read.webhooks.allSecrets()).sort(
        (a, b) => Number(a.id) - Number(b.id),
      );
    const [first] = await secrets();
    await write((webhooks) => webhooks.reseal(first?.id ?? 0, foreign));
    const deliverer = delivererOf({ seal: new SecretSeal([other, old]) });
    await expect(deliverer.reseal()).rejects.toThrow('rotate the secret');
    const current = new SecretSeal([other]);
    const isCurrent = (await secrets()).map(({ secret }) => current.isCurrent(secret));
    expect(isCurrent).toEqual([false, true]);
    await write((webhooks) => webhooks.endSecrets(id, service.clock.now()));
    await deliverer.reseal();
  });

  // The others depend on what a receiver answers, and not on the engine. Only SQLite has responses that bookkeeping could end.
  if (engine.name !== 'SQLite') return;

  test('bookkeeping leaves the cached responses of other readers', async () => {
    await create();
    await addPets(service, 1);
    const { database } = service;
    const state = () => [database.version(), database.changesOf(['pets', 'orders', 'events'])];
    const before = [state(), database.changesOf(['webhooks'])];
    await deliverAll(delivererOf());
    expect(state()).toEqual(before[0] as never);
    expect(database.changesOf(['webhooks'])).toBeGreaterThan(Number(before[1]));
  });

  test('Retry-After is obeyed up to a day, as seconds and as a date', async () => {
    const { id } = await create();
    await addPets(service, 1);
    const deliverer = delivererOf();
    const dateIn = (ms: number) => new Date(service.clock.now() + ms).toUTCString();
    for (const [value, pause] of [
      ['7', 7 * SECOND],
      [dateIn(7 * SECOND + 10 * MINUTE), 10 * MINUTE],
      ['9999999', DAY],
    ] as const) {
      receiver.respond = () =>
        new Response(null, { status: 503, headers: { 'Retry-After': value } });
      await deliverAll(deliverer);
      const [delivery] = await deliveries(id);
      expect(delivery?.nextAt).toBe(service.clock.now() + pause);
      service.clock.advance(pause);
    }
  });

  test('410 disables an endpoint at once, and five days of failures do, with an event and a line', async () => {
    const { id } = await create();
    const deliverer = delivererOf();
    receiver.respond = () => new Response(null, { status: 500 });
    await addPets(service, 1);
    await deliverAll(deliverer);
    service.clock.advance(5 * DAY - 1);
    await deliverAll(deliverer);
    expect(await endpoint(id)).toMatchObject({ status: 'enabled' });
    service.clock.advance(30 * MINUTE);
    await deliverAll(deliverer);
    expect(await endpoint(id)).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
    receiver.respond = () => new Response();
    const { id: second } = await create();
    receiver.respond = () => new Response(null, { status: 410 });
    await addPets(service, 1);
    await deliverAll(deliverer);
    expect(await endpoint(second)).toMatchObject({ disabledReason: 'gone' });
    const { json } = await service.request('GET', '/v1/events?type=webhook_endpoint.disabled');
    expect(json).toMatchObject([
      { actor: { job: 'deliver-webhooks' }, data: { id, disabledReason: 'failing' } },
      { data: { id: second, disabledReason: 'gone' } },
    ]);
    const lines = service.observed.filter(({ kind }) => kind === 'webhook_endpoint_disabled');
    expect(lines).toMatchObject([{ reason: 'failing' }, { reason: 'gone' }]);
  });

  test('an endpoint that staff disable during an attempt keeps their reason', async () => {
    const { id } = await create();
    receiver.respond = async () => {
      const change = { body: { status: 'disabled' } };
      await service.request('PATCH', `/v1/webhook-endpoints/${id}`, change);
      return new Response(null, { status: 410 });
    };
    await addPets(service, 1);
    const deliverer = delivererOf();
    await deliverAll(deliverer);
    await deliverer.stop(MINUTE);
    await deliverer.run();
    expect(await deliveries(id)).toMatchObject([{ lastStatus: 410 }]);
    expect(await endpoint(id)).toMatchObject({ disabledReason: 'requested' });
  });

  test('a redirect is a failure, and nobody follows it', async () => {
    const { id } = await create();
    receiver.respond = () => Response.redirect(new URL('/other', receiver.url).href, 307);
    await addPets(service, 1);
    await deliverAll(delivererOf());
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect(await deliveries(id)).toMatchObject([{ lastStatus: 307, lastError: 'redirected' }]);
  });

  test('an endpoint that never responds delays no other one', async () => {
    await using dead = startReceiver();
    const [first, second] = [await create(dead.url), await create()];
    dead.respond = () => new Promise(() => {});
    await addPets(service, 20);
    const deliverer = delivererOf();
    const isDone = async () =>
      (await deliveries(second.id)).filter(({ status }) => status === 'delivered').length === 20;
    while (!(await isDone())) {
      await deliverer.run();
      await Bun.sleep(1);
    }
    expect(dead.received.length).toBe(1 + 4);
    expect(await claims(first.id)).toEqual(Array(4).fill(service.clock.now() + 30 * SECOND));
    await deliverer.stop(1);
    await deliverer.run();
    const given = await deliveries(first.id);
    expect(given.map(({ attempts, claimedUntil }) => [attempts, claimedUntil])).toEqual(
      Array(20).fill([0, 0]),
    );
  });

  test('a stop while deliveries are claimed gives them back, and sends nothing', async () => {
    const { id } = await create();
    await addPets(service, 1);
    const deliverer = delivererOf();
    await deliverer.run();
    await Promise.all([deliverer.run(), deliverer.stop(SECOND)]);
    await deliverer.run();
    expect(receiver.received).toEqual([]);
    expect(await deliveries(id)).toMatchObject([{ attempts: 0, claimedUntil: 0 }]);
  });

  test('a receiver is reached at the next address of its name if one does not answer', async () => {
    const { id } = await create();
    const url = receiver.url.replace('127.0.0.1', 'receiver.example');
    const created = await endpoint(id);
    await write((webhooks) => webhooks.replace({ ...created, url } as WebhookEndpoint));
    await addPets(service, 1);
    await deliverAll(delivererOf({ resolve: async () => ['127.0.0.9', '127.0.0.1'] }));
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered' }]);
    const { host, 'content-type': type } = receiver.received[0]?.headers.toJSON() ?? {};
    expect([host, type]).toEqual([new URL(url).host, 'application/json']);
  });

  test('not more attempts are in progress than there may be, and the endpoints take turns', async () => {
    const paths = ['/one', '/other'];
    for (const path of paths) await create(new URL(path, receiver.url).href);
    await addPets(service, 2);
    let [ended, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
    receiver.respond = () => answer.promise;
    const deliverer = delivererOf({}, { concurrency: 1, wake: () => ended.resolve() });
    await deliverer.run();
    for (const _ of paths) {
      [ended, answer] = [Promise.withResolvers(), Promise.withResolvers()];
      for (const _run of [1, 2, 3]) await deliverer.run();
      expect(await claims(1, 2)).toHaveLength(1);
      answer.resolve(new Response());
      await ended.promise;
    }
    expect(receiver.received.map(({ path }) => path)).toEqual(paths);
  });

  test('a result that cannot be stored is stored later, and an event that is damaged is not sent', async () => {
    const { id } = await create();
    await addPets(service, 2);
    let isLost = false;
    const damaging = ({ webhooks, ...others }: Stores): Stores => {
      const claim: typeof webhooks.claim = (...args) =>
        chain(webhooks.claim(...args), ([first, ...rest]) => [
          ...(first ? [first] : []),
          ...rest.map((one) => ({ ...one, event: { ...one.event, content: '' } })),
        ]);
      return { ...others, webhooks: withMethods(webhooks, { claim }) };
    };
    const write: typeof service.database.write = async (cause, work, options) => {
      if (isLost) throw new Error('lost');
      return service.database.write(cause, (stores) => work(damaging(stores)), options);
    };
    const deliverer = delivererOf({}, { database: { ...service.database, write } });
    while (receiver.received.length === 0) {
      await deliverer.run();
      await Bun.sleep(1);
    }
    isLost = true;
    while (!(await deliverer.run().catch(() => true))) await Bun.sleep(1);
    isLost = false;
    await deliverAll(deliverer);
    expect(await deliveries(id)).toMatchObject([
      { id: 2, status: 'failed', attempts: 0, nextAt: null, lastError: 'event_damaged' },
      { id: 1, status: 'delivered', attempts: 1 },
    ]);
    expect(receiver.received).toHaveLength(1);
  });

  test('an attempt that takes too long, and a receiver that is not there, are failures', async () => {
    const { id } = await create();
    receiver.respond = () => new Promise(() => {});
    await addPets(service, 1);
    await deliverAll(delivererOf({}, { timeoutMs: 20 }));
    expect(await deliveries(id)).toMatchObject([{ lastStatus: null, lastError: 'timed_out' }]);
    await receiver[Symbol.asyncDispose]();
    service.clock.advance(HOUR);
    await addPets(service, 3);
    const deliverer = delivererOf();
    await deliverer.run();
    // One that fails gets one at a time.
    expect(await claims(id)).toHaveLength(1);
    await deliverAll(deliverer);
    expect(await deliveries(id)).toMatchObject(Array(4).fill({ lastError: 'connection_failed' }));
  });

  test('a secret whose key is missing postpones its deliveries, and blames nobody', async () => {
    const { id } = await create();
    await addPets(service, 1);
    const [old, other] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    await deliverAll(delivererOf({ seal: new SecretSeal([other]) }));
    const nextAt = service.clock.now() + 5 * MINUTE;
    const postponed = { attempts: 0, nextAt, lastError: 'secret_unreadable' };
    expect(await deliveries(id)).toMatchObject([postponed]);
    expect(await endpoint(id)).not.toHaveProperty('failingSince');
    await delivererOf({ seal: new SecretSeal([other, old]) }).reseal();
    service.clock.advance(5 * MINUTE);
    await deliverAll(delivererOf({ seal: new SecretSeal([other]) }));
    expect(receiver.received).toHaveLength(1);
  });
});
