/** updateWebhookEndpoint: PATCH /webhook-endpoints/{endpointId}. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { SecretSeal } from '../../../src/webhooks/sealed-secrets.ts';
import type { WebhookEndpoint } from '../../../src/webhooks/webhook-store.ts';
import { BY_TEST } from '../../support/cause.ts';
import { useService } from '../../support/service.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

const service = useService();
const receiver = startReceiver();
const path = '/v1/webhook-endpoints/1';
const patch = (body: object, options = {}) => service.request('PATCH', path, { body, ...options });
beforeAll(() => service.request('POST', '/v1/webhook-endpoints', { body: { url: receiver.url } }));
const CREATED = { createdAt: '2027-01-01T00:00:00.000Z' };
const pings = () => receiver.received.length;

describe('updateWebhookEndpoint', () => {
  test('changes the types, and removes them with null, without a ping', async () => {
    const before = pings();
    const { json } = await patch({ types: ['pet.updated'] });
    expect(json).toMatchObject({ id: 1, types: ['pet.updated'] });
    expect((await patch({ types: null })).json).not.toHaveProperty('types');
    expect(pings()).toBe(before);
  });

  test('disables without a ping, and enables with one', async () => {
    const before = pings();
    const { json } = await patch({ status: 'disabled' });
    expect(json).toMatchObject({ status: 'disabled', disabledReason: 'requested' });
    expect(pings()).toBe(before);
    expect((await patch({ status: 'enabled' })).json).not.toHaveProperty('disabledReason');
    expect(pings()).toBe(before + 1);
  });

  test('takes a new URL only if its receiver accepts a ping', async () => {
    receiver.respond = ({ path: at }) => new Response(null, { status: at === '/new' ? 200 : 500 });
    const url = new URL('/new', receiver.url).href;
    expect((await patch({ url })).json).toMatchObject({ url });
    expect(await patch({ url: receiver.url })).toMatchObject({ code: 'endpoint_unverified' });
    expect((await service.request('GET', path)).json).toMatchObject({ url });
  });

  test('changes nothing if a condition does not hold, or the id is another one', async () => {
    const headers = { 'If-Match': '"other"' };
    const before = pings();
    const other = new URL('/new?other', receiver.url).href;
    expect((await patch({ url: other }, { headers })).code).toBe('precondition_failed');
    expect((await patch({ id: 2, url: other })).code).toBe('read_only_field');
    expect(pings()).toBe(before);
    const tagged = async () => ({
      headers: { 'If-Match': (await service.request('GET', path)).etag },
    });
    const types = { types: ['pet.created'] };
    receiver.respond = async () => new Response((await patch(types)).text);
    expect((await patch({ url: other }, await tagged())).code).toBe('precondition_failed');
    receiver.respond = () => new Response();
    expect((await patch({ types: null }, await tagged())).status).toBe(200);
  });

  test('keeps why an endpoint is disabled, and since when it fails, until it is enabled', async () => {
    const { database } = service;
    const endpoint = (await database.read.webhooks.get(1)) as WebhookEndpoint;
    const state = { disabledReason: 'gone', failingSince: '2027-01-01T00:00:00.000Z' } as const;
    await database.write(BY_TEST, ({ webhooks }) =>
      webhooks.replace({ ...endpoint, status: 'disabled', ...state }),
    );
    const types = ['pet.deleted'];
    expect((await patch({ types })).json).toMatchObject({ types, ...state });
    const { json } = await patch({ status: 'enabled' });
    expect(json).toEqual({ id: 1, url: endpoint.url, types, status: 'enabled', ...CREATED });
  });

  test('enables no endpoint whose secret the service cannot read, until the secret is rotated', async () => {
    await patch({ status: 'disabled' });
    const other = new SecretSeal([Buffer.alloc(32, 8)]);
    for (const { id } of await service.database.read.webhooks.allSecrets())
      await service.database.write(BY_TEST, ({ webhooks }) =>
        webhooks.reseal(id, other.seal(new Uint8Array(24))),
      );
    const refused = await patch({ status: 'enabled' });
    expect(refused).toMatchObject({ status: 503, code: 'webhooks_unavailable' });
    expect(refused.text).toContain('Rotate the secret');
    const { json } = await service.request('POST', `${path}/test`);
    expect(json).toEqual({ error: 'secret_unreadable', durationMs: 0 } as never);
    const body = { gracePeriodSeconds: 0 };
    await service.request('POST', `${path}/rotate-secret`, { body });
    expect((await patch({ status: 'enabled' })).json).toMatchObject({ status: 'enabled' });
  });

  test('lets no key without keys:admin send the events of API keys elsewhere', async () => {
    await patch({ types: ['api_key.created'] });
    const { secret: key } = await service.issueKey(['webhooks:admin']);
    expect((await patch({ status: 'disabled' }, { key })).status).toBe(200);
    const url = new URL('/new?elsewhere', receiver.url).href;
    expect((await patch({ url }, { key })).code).toBe('scope_missing');
    expect((await patch({ url, types: null }, { key })).status).toBe(200);
  });
});
