/** What events do not say: no text of a client that may name a person, no secret, and nothing with EXTENSIONS=off. */
import { expect, test } from 'bun:test';
import { essenceOf, readEvents } from '../../support/event-requests.ts';
import { startService } from '../../support/service.ts';
import { useFreshService } from '../use-fresh-service.ts';

const service = useFreshService();

const ACTOR = { keyId: 1, keyName: 'test' };

const textOfAll = async () => (await service.request('GET', '/v1/events?limit=100')).text;

test('an order has no text of a client, only the names of its fields', async () => {
  await service.addPet({ name: 'Rex', categoryId: 1, status: 'available' });
  await service.request('POST', '/v1/store/orders', {
    body: { petId: 1, status: 'delivered', note: 'For Ann.' },
  });
  const patch = (body: object) => service.request('PATCH', '/v1/store/orders/1', { body });
  await patch({ reference: 'R-1', note: 'Ann again.' });
  await patch({ note: null });
  await patch({ status: 'returned', reference: null });
  const events = await readEvents(service, '&subject=orders/1');
  const { createdAt } = events[0]?.data ?? {};
  const times = { createdAt, deliveredAt: createdAt, endedAt: createdAt };
  const ended = { id: 1, petId: 1, status: 'delivered', ...times };
  expect(events.map(({ type, data, withheld }) => [type, data, withheld])).toEqual([
    ['order.delivered', ended, ['note']],
    ['order.updated', ended, ['reference', 'note']],
    ['order.updated', ended, ['note']],
    ['order.returned', { ...ended, status: 'returned' }, ['reference']],
  ]);
  expect(events.at(-1)?.previous).toEqual({ status: 'delivered' });
  const everything = await textOfAll();
  for (const secret of ['Ann', 'R-1']) expect(everything).not.toContain(secret);
});

test('the events of a key contain no secret, no hash and no part of the key', async () => {
  const { json } = await service.request('POST', '/v1/api-keys', {
    body: { name: 'till', scopes: ['pets:read'] },
  });
  const { id, key, hint } = json as { id: number; key: string; hint: string };
  await service.request('POST', `/v1/api-keys/${id}/rotate`, { body: { gracePeriodSeconds: 60 } });
  await service.request('DELETE', `/v1/api-keys/${id}`);
  const events = await readEvents(service, `&subject=api-keys/${id}`);
  const createdAt = '2027-01-01T00:00:00.000Z';
  const data = { id, name: 'till', scopes: ['pets:read'], createdAt };
  const expiresAt = '2027-01-01T00:01:00.000Z';
  const [subject, actor] = [`api-keys/${id}`, ACTOR];
  expect(events.map(essenceOf)).toEqual([
    { type: 'api_key.created', subject, actor, data },
    {
      type: 'api_key.rotated',
      subject,
      actor,
      data: { ...data, expiresAt },
      previous: { expiresAt: null },
    },
    {
      type: 'api_key.revoked',
      subject,
      actor,
      data: { ...data, expiresAt, revokedAt: createdAt },
      previous: { revokedAt: null },
    },
  ]);
  const text = await textOfAll();
  for (const secret of [key, key.slice(-4), hint, key.slice(9, 20)])
    expect(text).not.toContain(secret);
});

test('EXTENSIONS=off shows nothing, and records all the same', async () => {
  await using off = await startService({ options: { extensions: false } });
  const headers = { Authorization: `Bearer ${off.key}` };
  const response = await off.app.fetch(new Request('http://x/v1/events', { headers }));
  expect(await response.json()).toMatchObject({ code: 'route_not_found' });
  await off.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  await off.database.read.events.feed();
  const query = { filters: {}, sort: 'id' } as const;
  const events = await off.database.read.events.list(query, undefined, 100, false);
  expect(events).toMatchObject([{ type: 'pet.created', subject: 'pets/1', keyId: 1 }]);
});
