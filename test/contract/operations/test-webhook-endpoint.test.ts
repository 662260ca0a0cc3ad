/** testWebhookEndpoint: POST /webhook-endpoints/{endpointId}/test. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

const service = useService();
const receiver = startReceiver();

test('testWebhookEndpoint says what became of a ping, and nothing of the body of the response', async () => {
  const path = '/v1/webhook-endpoints';
  await service.request('POST', path, { body: { url: receiver.url } });
  const ping = () => service.request('POST', `${path}/1/test`);
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
