/** listWebhookEndpoints: GET /webhook-endpoints. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { addDelivery } from '../../support/webhook-receiver.ts';

const service = useService();

test('listWebhookEndpoints returns all endpoints by id, page by page, without their secrets', async () => {
  for (let count = 0; count < 3; count += 1) await addDelivery(service);
  const first = await service.request('GET', '/v1/webhook-endpoints?limit=2');
  expect(first.json).toMatchObject([{ id: 1 }, { id: 2 }]);
  expect(first.text).not.toContain('whsec_');
  expect((await service.request('GET', first.next ?? '')).json).toMatchObject([{ id: 3 }]);
});
