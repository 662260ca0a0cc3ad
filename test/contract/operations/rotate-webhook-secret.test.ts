/** rotateWebhookSecret: POST /webhook-endpoints/{endpointId}/rotate-secret. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { isSignedBy, startReceiver } from '../../support/webhook-receiver.ts';

const service = useService();
const receiver = startReceiver();

test('rotateWebhookSecret lets both secrets sign within the grace period, and the old one not after it', async () => {
  const path = '/v1/webhook-endpoints';
  const created = await service.request('POST', path, { body: { url: receiver.url } });
  const rotate = async (gracePeriodSeconds: number) => {
    const body = { gracePeriodSeconds };
    return (await service.request('POST', `${path}/1/rotate-secret`, { body })).json;
  };
  const secrets = [created.json, await rotate(60), await rotate(60)].map(
    (json) => (json as { secret: string }).secret,
  );
  /** Which of the secrets sign now. */
  const signing = async () => {
    await service.request('POST', `${path}/1/test`);
    const webhook = receiver.received.at(-1);
    return secrets.map((secret) => webhook !== undefined && isSignedBy(webhook, secret));
  };
  expect(new Set(secrets).size).toBe(3);
  service.clock.advance(59_999);
  expect(await signing()).toEqual([false, true, true]);
  service.clock.advance(1);
  expect(await signing()).toEqual([false, false, true]);
});
