/** The SDK has a method for each operation, and each method sends the request of its operation. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import document from '../../openapi.json' with { type: 'json' };
import { AnimalStore } from '../../sdk/src/index.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { LOCAL_WEBHOOKS, sharedReceiver } from '../support/webhook-receiver.ts';

type Call = (store: AnimalStore) => PromiseLike<unknown>;

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const;
const placed = async (store: AnimalStore) =>
  store.orders.place({ petId: (await store.pets.create(REX)).id });
const issued = (store: AnimalStore) => store.apiKeys.create({ name: 'shop' });

const added = (store: AnimalStore) => store.webhookEndpoints.create({ url: sharedReceiver() });
const replayed = async (store: AnimalStore, id: number | bigint) => {
  const { count } = await store.webhookEndpoints.replay(id, { after: '2020-01-01T00:00:00Z' });
  expect(count).toBeGreaterThan(0);
};

/** The methods of the SDK, by the operation that each is for. */
const METHODS: Readonly<Record<string, readonly Call[]>> = {
  listPets: [
    (store) => store.pets.list({ status: 'sold', limit: 1 }).pages().next(),
    (store) => store.pets.get(1),
  ],
  createPet: [(store) => store.pets.create(REX)],
  batchCreatePets: [
    async (store) => expect(await store.pets.createMany([REX, REX])).toHaveLength(2),
  ],
  updatePet: [
    (store) => store.pets.update(1, { status: 'pending' }),
    (store) => store.pets.edit(1, () => ({ status: null })),
  ],
  deletePet: [async (store) => store.pets.delete((await store.pets.create(REX)).id)],
  listCategories: [(store) => store.categories.list({ limit: 1 }).pages().next()],
  getCategory: [
    async (store) => store.categories.get((await store.categories.put(5, { name: 'Cats' })).id),
  ],
  putCategory: [(store) => store.categories.put(-5, { name: 'Dogs' })],
  deleteCategory: [
    async (store) => store.categories.delete((await store.categories.put(6, { name: 'Fish' })).id),
  ],
  placeOrder: [placed],
  listOrders: [(store) => store.orders.list({ petId: 1, status: 'placed' }).pages().next()],
  getOrder: [async (store) => store.orders.get((await placed(store)).id)],
  updateOrder: [
    async (store) => store.orders.update((await placed(store)).id, { status: 'approved' }),
    async (store) => {
      const { id } = await placed(store);
      await store.orders.approve(id);
      expect((await store.orders.deliver(id)).status).toBe('delivered');
    },
    async (store) => {
      const { petId } = await store.orders.cancel((await placed(store)).id);
      const { id } = await store.orders.place({ petId, status: 'delivered', note: 'Cash.' });
      expect((await store.orders.return(id)).status).toBe('returned');
    },
    async (store) =>
      expect((await store.orders.cancel((await placed(store)).id)).status).toBe('cancelled'),
    async (store) => {
      const { id } = await placed(store);
      let edits = 0;
      const edited = await store.orders.edit(id, async ({ note = '' }) => {
        if (edits++ === 0) await store.orders.update(id, { note: 'Hello' });
        return { note: `${note}!` };
      });
      expect([edited.note, edits]).toEqual(['Hello!', 2]);
    },
  ],
  getStoreSummary: [
    (store) => store.orders.summary(),
    (store) => store.orders.summary({ days: 7, timeZone: 'Europe/Berlin' }),
  ],
  getInventory: [
    (store) => store.inventory.get(),
    async (store) => expect((await store.inventory.get({ categoryId: 77n })).unset).toBe(0),
  ],
  listEvents: [
    (store) =>
      store.events
        .list({ type: ['pet.created'] })
        .pages()
        .next(),
  ],
  streamEvents: [
    async (store) => {
      const [first] = await store.events.list({ limit: 1 }).toArray({ limit: 1 });
      for await (const { type } of store.events.stream({ after: first?.id })) {
        expect(type).toBe('pet.created');
        break;
      }
    },
  ],
  createWebhookEndpoint: [added],
  listWebhookEndpoints: [(store) => store.webhookEndpoints.list({ limit: 1 }).pages().next()],
  getWebhookEndpoint: [async (store) => store.webhookEndpoints.get((await added(store)).id)],
  updateWebhookEndpoint: [
    async (store) => {
      const { id } = await added(store);
      expect(await store.webhookEndpoints.update(id, { status: 'disabled' })).toMatchObject({
        disabledReason: 'requested',
      });
    },
  ],
  deleteWebhookEndpoint: [
    async (store) => {
      const { id } = await added(store);
      expect(await store.webhookEndpoints.delete(id)).toBeUndefined();
    },
  ],
  rotateWebhookSecret: [
    async (store) => {
      const { id, secret } = await added(store);
      const rotated = await store.webhookEndpoints.rotateSecret(id, { gracePeriodSeconds: 60 });
      expect(rotated.secret).not.toBe(secret);
    },
  ],
  testWebhookEndpoint: [
    async (store) => {
      const { responseStatus } = await store.webhookEndpoints.test((await added(store)).id);
      expect(responseStatus).toBe(204);
    },
  ],
  replayWebhookDeliveries: [async (store) => replayed(store, (await added(store)).id)],
  listWebhookDeliveries: [
    async (store) => {
      const { id } = await added(store);
      await replayed(store, id);
      const [delivery] = await store.webhookEndpoints.deliveries(id).toArray();
      expect(delivery?.endpointId).toBe(id);
    },
  ],
  redeliverWebhookDelivery: [
    async (store) => {
      const { id } = await added(store);
      await replayed(store, id);
      const [delivery] = await store.webhookEndpoints.deliveries(id).toArray();
      expect(await store.webhookEndpoints.redeliver(delivery?.id ?? 0)).toBeUndefined();
    },
  ],
  getCurrentApiKey: [(store) => store.apiKeys.current()],
  getUsage: [(store) => store.usage.get()],
  createApiKey: [issued],
  listApiKeys: [(store) => store.apiKeys.list({ limit: 1 }).pages().next()],
  rotateApiKey: [
    async (store) => store.apiKeys.rotate((await issued(store)).id, { gracePeriodSeconds: 60 }),
  ],
  revokeApiKey: [async (store) => store.apiKeys.revoke((await issued(store)).id)],
};

interface Documented {
  readonly operationId: string;
  readonly deprecated?: boolean;
}

const OPERATIONS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...(operation as Documented),
    method: method.toUpperCase(),
    pattern: new RegExp(`^/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  })),
);

let service: SocketService;
beforeAll(async () => {
  service = await listen({
    webhookSecretKey: LOCAL_WEBHOOKS.WEBHOOK_SECRET_KEY,
    ...{ webhookAllowHttp: 'on', webhookAllowedNetworks: '127.0.0.0/8' },
  });
  await connect([]).pets.create(REX);
});
afterAll(() => service.close());

/** A client that records the operations it calls. */
const connect = (called: (string | undefined)[]): AnimalStore =>
  new AnimalStore({
    baseUrl: `${service.origin}/v1`,
    apiKey: service.key,
    maxRetries: 0,
    fetch(url, init) {
      const { pathname } = new URL(url);
      const found = OPERATIONS.find(
        ({ method, pattern }) => method === init.method && pattern.test(pathname),
      );
      called.push(found?.operationId);
      return fetch(url, init);
    },
  });

test('every operation has a method, unless it is deprecated', () => {
  const current = OPERATIONS.filter(({ deprecated }) => !deprecated);
  expect(Object.keys(METHODS).sort()).toEqual(current.map((it) => it.operationId).sort());
});

test.each(Object.entries(METHODS))('%s is called by its methods', async (operationId, calls) => {
  for (const call of calls) {
    const called: (string | undefined)[] = [];
    await call(connect(called));
    expect(called.at(-1)).toBe(operationId);
    expect(called).not.toContain('getPet');
  }
});

test('where If-Match is required, edit changes an order, and approve needs its ETag', async () => {
  const strict = await listen({ requireIfMatch: 'on' });
  const store = new AnimalStore({ baseUrl: `${strict.origin}/v1`, apiKey: strict.key });
  const { id } = await placed(store);
  await expect(store.orders.approve(id)).rejects.toMatchObject({ code: 'precondition_required' });
  const { response } = await store.orders.edit(id, () => ({ status: 'approved' })).withResponse();
  const { etag } = response;
  expect((await store.orders.deliver(id, { ifMatch: etag })).status).toBe('delivered');
  await strict.close();
});
