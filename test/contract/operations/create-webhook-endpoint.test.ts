/** createWebhookEndpoint: POST /webhook-endpoints, and getWebhookEndpoint: GET /webhook-endpoints/{endpointId}. */
import { describe, expect, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';
import { isSignedBy, startReceiver } from '../../support/webhook-receiver.ts';

const service = useService();
const receiver = startReceiver();

const PATH = '/v1/webhook-endpoints';
const create = (body: object, options = {}) => service.request('POST', PATH, { body, ...options });

describe('createWebhookEndpoint', () => {
  test('sends a signed ping, and returns the endpoint with its secret, which nobody can read later', async () => {
    const { status, json } = await create({
      url: receiver.url,
      types: ['pet.created', 'pet.created'],
    });
    expect(status).toBe(201);
    const { secret, ...endpoint } = json as { id: number; secret: string };
    const createdAt = '2027-01-01T00:00:00.000Z';
    const expected = { id: endpoint.id, url: receiver.url, types: ['pet.created'], createdAt };
    expect(endpoint).toEqual({ ...expected, status: 'enabled' } as never);
    const [ping] = receiver.received;
    expect(ping && isSignedBy(ping, secret)).toBe(true);
    const sent = { id: ping?.id, type: 'ping', timestamp: createdAt, data: {} };
    expect(JSON.parse(ping?.body ?? '')).toEqual(sent);
    const read = await service.request('GET', `${PATH}/${endpoint.id}`);
    expect(read.json).toEqual(endpoint);
    const stored = await service.storedBytes();
    expect(stored.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ['unsuccessful_status (400)', () => new Response('secret', { status: 400 })],
    ['redirected (300)', () => new Response(null, { status: 300 })],
  ])('refuses an endpoint that does not accept the ping: %s', async (reason, respond) => {
    receiver.respond = respond;
    const count = receiver.received.length;
    const { json } = await create({ url: receiver.url });
    receiver.respond = () => new Response();
    const message = `The endpoint did not accept a ping: ${reason}.`;
    expect(json).toEqual({ code: 'endpoint_unverified', message, status: 400 });
    expect(receiver.received).toHaveLength(count + 1);
  });

  test('repeats its response to a retry, also when the endpoint is gone by then, and pings once', async () => {
    const retry = { headers: { 'Idempotency-Key': 'once' } };
    const count = receiver.received.length;
    const first = await create({ url: receiver.url }, retry);
    receiver.respond = () => new Response(null, { status: 410 });
    const second = await create({ url: receiver.url }, retry);
    receiver.respond = () => new Response();
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(receiver.received).toHaveLength(count + 1);
  });

  test.each([
    'ftp://shop.test/',
    'shop.test',
    'https://',
    'https://shop.test/#top',
    ' https://shop.test/',
    'https://shop.test/\0',
    'https://shop.test/ä',
    `https://shop.test/${'x'.repeat(2_048)}`,
    'https://user@shop.test/',
    'https://:secret@shop.test/',
  ])('refuses the URL %s', async (url) => {
    expect(await create({ url })).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  test('lets only a key with keys:admin ask for the events of API keys', async () => {
    const { secret: key } = await service.issueKey(['webhooks:admin']);
    const body = { url: receiver.url, types: ['api_key.created'] };
    expect(await create(body, { key })).toMatchObject({ status: 403, code: 'scope_missing' });
    expect((await create(body)).status).toBe(201);
  });

  test('is 503 without a key for secrets, and refuses http unless it is allowed', async () => {
    await using without = await startService({ sender: null });
    const refused = await without.request('POST', PATH, { body: { url: 'https://shop.test/' } });
    expect(refused).toMatchObject({ status: 503, code: 'webhooks_unavailable' });
    await using strict = await startService({ sender: { allowHttp: false } });
    const { json } = await strict.request('POST', PATH, { body: { url: receiver.url } });
    expect(json).toMatchObject({ message: expect.stringContaining('url: must be an https URL') });
  });
});
