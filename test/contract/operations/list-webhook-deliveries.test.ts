/** listWebhookDeliveries: GET /webhook-endpoints/{endpointId}/deliveries. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { addDelivery } from '../../support/webhook-receiver.ts';

const service = useService();

test('listWebhookDeliveries returns the newest first, page by page', async () => {
  for (let count = 0; count < 3; count += 1)
    await service.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  const { endpointId } = await addDelivery(service);
  const path = `/v1/webhook-endpoints/${endpointId}/deliveries`;
  const first = await service.request('GET', `${path}?limit=2`);
  const [event] = (await service.request('GET', '/v1/events?sort=-id')).json as { id: string }[];
  const next = '2027-01-01T00:00:00.000Z';
  const common = { endpointId, type: 'pet.created', status: 'pending', attempts: 0 };
  expect(first.json).toMatchObject([
    { ...common, subject: 'pets/3', eventId: event?.id, nextAttemptAt: next },
    { ...common, subject: 'pets/2' },
  ]);
  expect((await service.request('GET', first.next ?? '')).json).toMatchObject([
    { subject: 'pets/1' },
  ]);
});
