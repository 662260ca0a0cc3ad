/**
 * What the receiver of an endpoint gets.
 * rotateWebhookSecret: POST /webhook-endpoints/{endpointId}/rotate-secret.
 * testWebhookEndpoint: POST /webhook-endpoints/{endpointId}/test.
 */
import { expect, test } from 'bun:test';
import { isSignedBy, startReceiver } from '../../support/webhook-receiver.ts';
import { useFreshService } from '../use-fresh-service.ts';

const service = useFreshService();

const PATH = '/v1/webhook-endpoints';
const create = (url: string) => service.request('POST', PATH, { body: { url } });
const ping = () => service.request('POST', `${PATH}/1/test`);

test('rotateWebhookSecret lets both secrets sign within the grace period, and the old one not after it', async () => {
  await using receiver = startReceiver();
  const created = await create(receiver.url);
  const rotate = () =>
    service.request('POST', `${PATH}/1/rotate-secret`, { body: { gracePeriodSeconds: 60 } });
  const secrets = [created, await rotate(), await rotate()].map(
    ({ json }) => (json as { secret: string }).secret,
  );
  /** Which of the secrets sign now. */
  const signing = async () => {
    await ping();
    const webhook = receiver.received.at(-1);
    return secrets.map((secret) => webhook !== undefined && isSignedBy(webhook, secret));
  };
  expect(new Set(secrets).size).toBe(3);
  service.clock.advance(59_999);
  expect(await signing()).toEqual([false, true, true]);
  service.clock.advance(1);
  expect(await signing()).toEqual([false, false, true]);
});

test('testWebhookEndpoint says what became of a ping, and nothing of the body of the response', async () => {
  const receiver = startReceiver();
  await create(receiver.url);
  expect((await ping()).json).toEqual({
    responseStatus: 204,
    durationMs: expect.any(Number),
  } as never);
  receiver.respond = () => new Response('private', { status: 503 });
  const { text, json } = await ping();
  expect(json).toMatchObject({ responseStatus: 503, error: 'unsuccessful_status' });
  expect(text).not.toContain('private');
  await receiver[Symbol.asyncDispose]();
  expect((await ping()).json).toMatchObject({ error: 'connection_failed' });
});
