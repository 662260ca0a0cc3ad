import type { CachedResponse, PetEvent, PlannedRetry } from '../../sdk/src/index.ts';
import { equal, rejection, type Scenario } from './scenarios.ts';

/** Hooks, ids, caches and loads, where platforms differ in headers, caches and streams. */
export const FEATURE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'the service knows a request by the id of the client': async ({ store, storeWith, faults }) => {
    const ids: (string | null)[] = [];
    const traced = storeWith({
      onRequest: ({ headers }) => ids.push(headers.get('X-Request-Id')),
    });
    const { response } = await traced.inventory.get().withResponse();
    equal(response.requestId, ids[0]);
    const error = await rejection(traced.pets.create({ name: '', categoryId: 1 }));
    equal(error.requestId, ids[1]);
    equal(String(error).endsWith(`(POST /pets 400 validation_failed, request ${ids[1]})`), true);
    await faults({ kind: 'stall' });
    const options = { timeoutMs: 500, maxRetries: 0, headers: { 'X-Request-Id': 'stalled-1' } };
    const timeout = await rejection(store.categories.get(1, options));
    equal(
      /\(GET \/categories\/1, host 127\.0\.0\.1:\d+, request stalled-1\)$/.test(String(timeout)),
      true,
      String(timeout),
    );
  },

  'a retry is announced, and can be stopped': async ({ store, faults, seen }) => {
    const retries: PlannedRetry[] = [];
    await faults({ kind: 'cut before' }, { kind: 'cut before' });
    const onRetry = (retry: PlannedRetry) => {
      if (retries.push(retry) === 2) retry.stop();
    };
    const error = await rejection(store.categories.list({}, { onRetry }).toArray());
    equal([error.name, error === retries[1]?.error], ['ConnectionError', true]);
    equal((await seen()).length, 2, 'requests');
  },

  'a read that is still the same comes from the cache of the caller': async (context) => {
    const { store, storeWith, uniqueName } = context;
    const { id } = await store.pets.create({ name: uniqueName(), categoryId: 1 });
    const statuses: unknown[] = [];
    const cached = storeWith({
      cache: new Map<string, CachedResponse>(),
      onResponse: ({ response }) => statuses.push(response?.status),
    });
    const first = await cached.pets.get(id).withResponse();
    const second = await cached.pets.get(id).withResponse();
    equal(second.data, first.data);
    equal([second.response.etag, second.response.status], [first.response.etag, 200]);
    equal(statuses, [200, 304]);
  },

  'a load that loses a response creates nothing twice': async ({ store, faults, uniqueName }) => {
    const categoryId = 4718;
    const names = Array.from({ length: 1_500 }, uniqueName);
    const source = async function* () {
      for (const name of names) yield { name, categoryId };
    };
    const idempotencyKey = uniqueName().replaceAll(' ', '-');
    await faults({ kind: 'none' }, { kind: 'cut after' });
    const load = store.pets.bulkCreate(source(), { idempotencyKey, maxRetries: 0 });
    const error = await rejection(load);
    equal([error.name, error.offset, error.outcomeUnknown], ['ConnectionError', 1_000, true]);
    const replayed: boolean[] = [];
    const onProgress = (progress: { readonly replayed: boolean }) => {
      replayed.push(progress.replayed);
    };
    equal(await store.pets.bulkCreate(source(), { idempotencyKey, onProgress }), 1_500);
    equal(replayed, [true, true]);
    equal((await store.inventory.get({ categoryId })).unset, 1_500);
  },

  'misspelt names are refused': async ({ store, storeWith, uniqueName }) => {
    const query = { category_id: 7, limit: 1 };
    const error = await rejection(store.pets.list(query).toArray());
    equal(error.code, 'invalid_parameter');
    equal(error.fields, [{ path: ['category_id'], message: 'is not a known parameter' }]);
    const pet = { name: uniqueName(), categoryId: 1, colour: 'red' };
    equal((await rejection(store.pets.create(pet))).fields[0]?.path, ['colour']);
    equal((await storeWith({ strict: false }).pets.create(pet)).name, pet.name);
  },

  'a webhook is signed and verified, and any change is refused': async ({ sdk }) => {
    const { testWebhook, verifyWebhook } = sdk;
    const largest = 2n ** 63n - 1n;
    const event: PetEvent = {
      ...{ id: '5f0c9a17-41', type: 'pet.created', subject: `pets/${largest}` },
      ...{ timestamp: '2027-01-01T12:00:00.000Z', actor: { keyId: 1 } },
      data: { id: largest, name: 'Hai 🦈', categoryId: 1 },
    };
    const secret = `whsec_${btoa('a secret of a test')}`;
    const { body, headers } = await testWebhook(event, secret);
    const bytes = new TextEncoder().encode(body);
    equal(await verifyWebhook(bytes, new Headers(headers), [secret]), event);
    const error = await rejection(verifyWebhook(body.replace('🦈', 'x'), headers, secret));
    equal(error.name, 'WebhookVerificationError');
  },

  'a request without a method is sent as any other': async ({ store, faults, uniqueName }) => {
    const name = uniqueName();
    await faults({ kind: 'cut after' });
    const body = { pets: [{ name, categoryId: 2n ** 60n }] };
    const [pet] = await store.request<{ categoryId: bigint }[]>('POST', '/pet-batches', {
      body,
    });
    equal(pet?.categoryId, 2n ** 60n);
    equal((await store.pets.list({ name }).toArray()).length, 1);
  },
};
