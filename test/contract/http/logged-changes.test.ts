/** The log names what each request changed: "Who deleted animal 17?" is a search for `pets/17`. */
import { expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import { readEvents } from '../../support/event-requests.ts';
import type { RequestOptions } from '../../support/service.ts';
import { addDelivery, sharedReceiver } from '../../support/webhook-receiver.ts';
import { useFreshService } from '../use-fresh-service.ts';

const service = useFreshService();

/** Sends a request. Resolves with its operation's index, the resource that the log has, and the response. */
async function send(method: string, path: string, options: RequestOptions = {}) {
  const { json } = await service.request(method, path, options);
  const observation = service.observed.findLast(({ kind }) => kind === 'request');
  if (observation?.kind !== 'request') throw new Error('The request was not observed.');
  return { index: observation.operationIndex, resource: observation.resource, json };
}

const REX = { name: 'Rex', categoryId: 1 };

/** Each operation that changes something, and the resource that it changes. */
const CHANGES: readonly (readonly [string, string, unknown, string])[] = [
  ['POST', '/v1/pets', REX, 'pets/1'],
  ['PATCH', '/v1/pets/1', { status: 'available' }, 'pets/1'],
  ['POST', '/v1/store/orders', { petId: 1 }, 'orders/1'],
  ['PATCH', '/v1/store/orders/1', { status: 'cancelled' }, 'orders/1'],
  ['PUT', '/v1/categories/9007199254740993', { name: 'Dogs' }, 'categories/9007199254740993'],
  ['DELETE', '/v1/categories/9007199254740993', undefined, 'categories/9007199254740993'],
  ['DELETE', '/v1/pets/1', undefined, 'pets/1'],
  ['POST', '/v1/api-keys', { name: 'till', scopes: ['pets:read'] }, 'api-keys/2'],
  ['POST', '/v1/api-keys/2/rotate', { gracePeriodSeconds: 60 }, 'api-keys/2'],
  ['DELETE', '/v1/api-keys/3', undefined, 'api-keys/3'],
];

/** The same of webhooks, which have no events of these changes. */
const WEBHOOK_CHANGES: readonly (readonly [string, string, unknown, string])[] = [
  ['POST', '', { url: sharedReceiver() }, 'webhook-endpoints/2'],
  ['PATCH', '/1', { types: ['pet.deleted'] }, 'webhook-endpoints/1'],
  ['POST', '/1/rotate-secret', { gracePeriodSeconds: 0 }, 'webhook-endpoints/1'],
  ['POST', '/1/test', undefined, 'webhook-endpoints/1'],
  ['POST', '/1/replay', { after: '2020-01-01T00:00:00Z' }, 'webhook-endpoints/1'],
  ['DELETE', '/2', undefined, 'webhook-endpoints/2'],
];

test('each change names its resource like its event does', async () => {
  const changing = new Set<number>();
  for (const [method, path, body, expected] of CHANGES) {
    const known = (await readEvents(service)).length;
    const { index, resource } = await send(method, path, { body });
    expect([method, path, resource]).toEqual([method, path, expected]);
    const subjects = (await readEvents(service)).slice(known).map(({ subject }) => subject);
    expect(subjects).toContain(expected);
    changing.add(index);
  }
  const { deliveryId } = await addDelivery(service);
  for (const [method, path, body, expected] of WEBHOOK_CHANGES) {
    const { index, resource } = await send(method, `/v1/webhook-endpoints${path}`, { body });
    expect([method, path, resource]).toEqual([method, path, expected]);
    changing.add(index);
  }
  const redelivered = await send('POST', `/v1/webhook-deliveries/${deliveryId}/redeliver`);
  expect(redelivered.resource).toBe(`webhook-deliveries/${deliveryId}`);
  changing.add(redelivered.index);
  const { index, resource } = await send('POST', '/v1/pet-batches', {
    body: { pets: [REX, REX, REX] },
  });
  expect(resource).toMatch(/^pets\/(\d+)-(\d+)$/);
  changing.add(index);
  const writing = [...operationsOf(true).entries()].filter(([, bound]) => 'write' in bound);
  expect([...changing].sort()).toEqual(writing.map(([position]) => position).sort());
});

test('a batch names its first and its last animal, and one of a single animal the animal', async () => {
  const create = (count: number) =>
    send('POST', '/v1/pet-batches', { body: { pets: Array(count).fill(REX) } });
  const { resource, json } = await create(12);
  const ids = (json as { id: number }[]).map(({ id }) => id);
  expect(resource).toBe(`pets/${ids[0]}-${ids[11]}`);
  const single = await create(1);
  expect(single.resource).toBe(`pets/${(single.json as { id: number }[])[0]?.id}`);
});

test('a read, a refusal and a repeated response name nothing', async () => {
  const create = () =>
    send('POST', '/v1/pets', { body: REX, headers: { 'Idempotency-Key': 'once' } });
  expect((await create()).resource).toBe('pets/1');
  expect((await create()).resource).toBeUndefined();
  expect((await send('GET', '/v1/pets/1')).resource).toBeUndefined();
  expect((await send('DELETE', '/v1/pets/4711')).resource).toBeUndefined();
  expect((await send('PATCH', '/v1/pets/1', { body: { name: '' } })).resource).toBeUndefined();
});
