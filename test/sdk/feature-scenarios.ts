import type { CachedResponse, PetEvent } from '../../sdk/src/index.ts';
import { equal, rejection, type Scenario } from './scenarios.ts';

/** Ids, caches and webhooks, where platforms differ in headers, caches and cryptography. */
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

  'a read that is still the same comes from the cache of the caller': async (context) => {
    const { id } = await context.store.pets.create({ name: context.uniqueName(), categoryId: 1 });
    const statuses: unknown[] = [];
    const cached = context.storeWith({
      cache: new Map<string, CachedResponse>(),
      onResponse: ({ response }) => statuses.push(response?.status),
    });
    const first = await cached.pets.get(id).withResponse();
    const second = await cached.pets.get(id).withResponse();
    equal(second.data, first.data);
    equal([second.response.etag, second.response.status], [first.response.etag, 200]);
    equal(first.response.requestId === second.response.requestId, false, 'one id of two requests');
    equal(statuses, [200, 304]);
  },

  'a webhook is signed and verified, and any change is refused': async ({ sdk }) => {
    const largest = 2n ** 63n - 1n;
    const event: PetEvent = {
      ...{ id: '5f0c9a17-41', type: 'pet.created', subject: `pets/${largest}` },
      ...{ timestamp: '2027-01-01T12:00:00.000Z', actor: { keyId: 1 } },
      data: { id: largest, name: 'Hai 🦈', categoryId: 1 },
    };
    const secret = `whsec_${btoa('a secret of a test')}`;
    const { body, headers } = await sdk.testWebhook(event, secret);
    const bytes = new TextEncoder().encode(body);
    equal(await sdk.verifyWebhook(bytes, new Headers(headers), [secret]), event);
    const error = await rejection(sdk.verifyWebhook(body.replace('🦈', 'x'), headers, secret));
    equal(error.name, 'WebhookVerificationError');
  },
};
