/** The SDK has a method for each operation, and each method sends the request of its operation. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import document from '../../openapi.json' with { type: 'json' };
import { AnimalStore } from '../../sdk/src/index.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { LOCAL_WEBHOOK_FLAGS, sharedReceiver } from '../support/webhook-receiver.ts';

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const;
const SEVEN_DAYS = { days: 7, timeZone: 'Europe/Berlin' } as const;

/** The methods of the SDK, by the operation that each is for. */
function methodsOf(store: AnimalStore): Readonly<Record<string, (() => PromiseLike<unknown>)[]>> {
  const { pets, categories, orders, inventory, events, webhookEndpoints: endpoints } = store;
  const named = async (id: number) => (await categories.put(id, { name: 'Cats' })).id;
  const placed = async () => (await orders.place({ petId: (await pets.create(REX)).id })).id;
  const issued = () => store.apiKeys.create({ name: 'shop' });
  const added = () => endpoints.create({ url: sharedReceiver() });
  const addedId = async () => (await added()).id;
  const replayed = async () => {
    const id = await addedId();
    const { count } = await endpoints.replay(id, { after: '2020-01-01T00:00:00Z' });
    expect(count).toBeGreaterThan(0);
    return id;
  };
  const delivered = async () => {
    const endpointId = await replayed();
    const [delivery] = await endpoints.deliveries(endpointId).toArray();
    expect(delivery).toMatchObject({ endpointId });
    return delivery?.id ?? 0;
  };
  return {
    listPets: [() => pets.list({ status: 'sold' }).toArray(), () => pets.get(1)],
    createPet: [() => pets.create(REX)],
    batchCreatePets: [async () => expect(await pets.createMany([REX, REX])).toHaveLength(2)],
    updatePet: [
      () => pets.update(1, { status: 'pending' }),
      () => pets.edit(1, () => ({ status: null })),
    ],
    deletePet: [async () => pets.delete((await pets.create(REX)).id)],
    listCategories: [() => categories.list({ limit: 1 }).toArray({ limit: 1 })],
    getCategory: [async () => categories.get(await named(5))],
    putCategory: [() => named(-5)],
    deleteCategory: [async () => categories.delete(await named(6))],
    placeOrder: [placed],
    listOrders: [() => orders.list({ petId: 1, status: 'placed' }).toArray()],
    getOrder: [async () => orders.get(await placed())],
    updateOrder: [
      async () => orders.update(await placed(), { status: 'approved' }),
      async () => {
        const { id } = await orders.approve(await placed());
        expect((await orders.deliver(id)).status).toBe('delivered');
      },
      async () => {
        const { petId } = await orders.cancel(await placed());
        const { id } = await orders.place({ petId, status: 'delivered', note: 'Cash.' });
        expect((await orders.return(id)).status).toBe('returned');
      },
      async () => expect((await orders.cancel(await placed())).status).toBe('cancelled'),
      async () => {
        const id = await placed();
        let edits = 0;
        const edited = await orders.edit(id, async ({ note = '' }) => {
          if (edits++ === 0) await orders.update(id, { note: 'Hello' });
          return { note: `${note}!` };
        });
        expect([edited.note, edits]).toEqual(['Hello!', 2]);
      },
    ],
    getStoreSummary: [() => orders.summary(), () => orders.summary(SEVEN_DAYS)],
    getInventory: [
      () => inventory.get(),
      async () => expect((await inventory.get({ categoryId: 77n })).unset).toBe(0),
    ],
    listEvents: [() => events.list({ type: ['pet.created'] }).toArray({ limit: 1 })],
    streamEvents: [
      async () => {
        const [first] = await events.list({ limit: 1 }).toArray({ limit: 1 });
        for await (const { type } of events.stream({ after: first?.id })) {
          expect(type).toBe('pet.created');
          break;
        }
      },
    ],
    createWebhookEndpoint: [added],
    listWebhookEndpoints: [() => endpoints.list({ limit: 1 }).toArray({ limit: 1 })],
    getWebhookEndpoint: [async () => endpoints.get(await addedId())],
    updateWebhookEndpoint: [
      async () => {
        const { disabledReason } = await endpoints.update(await addedId(), { status: 'disabled' });
        expect(disabledReason).toBe('requested');
      },
    ],
    deleteWebhookEndpoint: [
      async () => expect(await endpoints.delete(await addedId())).toBeUndefined(),
    ],
    rotateWebhookSecret: [
      async () => {
        const { id, secret } = await added();
        const rotated = await endpoints.rotateSecret(id, { gracePeriodSeconds: 60 });
        expect(rotated.secret).not.toBe(secret);
      },
    ],
    testWebhookEndpoint: [
      async () => expect((await endpoints.test(await addedId())).responseStatus).toBe(204),
    ],
    replayWebhookDeliveries: [replayed],
    listWebhookDeliveries: [delivered],
    redeliverWebhookDelivery: [
      async () => expect(await endpoints.redeliver(await delivered())).toBeUndefined(),
    ],
    getCurrentApiKey: [() => store.apiKeys.current()],
    getUsage: [() => store.usage.get()],
    createApiKey: [issued],
    listApiKeys: [() => store.apiKeys.list({ limit: 1 }).toArray({ limit: 1 })],
    rotateApiKey: [
      async () => store.apiKeys.rotate((await issued()).id, { gracePeriodSeconds: 60 }),
    ],
    revokeApiKey: [async () => store.apiKeys.revoke((await issued()).id)],
  };
}

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
  service = await listen(LOCAL_WEBHOOK_FLAGS);
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

const METHODS = methodsOf(new AnimalStore({ baseUrl: 'http://store.example/v1', apiKey: 'key' }));

test('every operation has a method, unless it is deprecated', () => {
  const current = OPERATIONS.filter(({ deprecated }) => !deprecated);
  expect(Object.keys(METHODS).sort()).toEqual(current.map((it) => it.operationId).sort());
});

test.each(Object.entries(METHODS))('%s is called by its methods', async (operationId, methods) => {
  for (const at of methods.keys()) {
    const called: (string | undefined)[] = [];
    await methodsOf(connect(called))[operationId]?.[at]?.();
    expect(called.at(-1)).toBe(operationId);
    expect(called).not.toContain('getPet');
  }
});

test('where If-Match is required, edit changes an order, and approve needs its ETag', async () => {
  const strict = await listen({ requireIfMatch: 'on' });
  const store = new AnimalStore({ baseUrl: `${strict.origin}/v1`, apiKey: strict.key });
  const { id: petId } = await store.pets.create(REX);
  const { id } = await store.orders.place({ petId });
  await expect(store.orders.approve(id)).rejects.toMatchObject({ code: 'precondition_required' });
  const { response } = await store.orders.edit(id, () => ({ status: 'approved' })).withResponse();
  expect((await store.orders.deliver(id, { ifMatch: response.etag })).status).toBe('delivered');
  await strict.close();
});
