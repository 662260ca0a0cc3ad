/** Bun repeats PUT and DELETE by itself if a connection that it reuses breaks. The SDK must know of each attempt. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { AnimalStore } from '../../sdk/src/index.ts';
import { listen } from '../support/socket.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';

let service: Awaited<ReturnType<typeof listen>>;
let proxy: FaultyProxy;
let store: AnimalStore;
beforeAll(async () => {
  service = await listen();
  proxy = await startFaultyProxy(Number(new URL(service.origin).port));
  store = new AnimalStore({ baseUrl: `${proxy.origin}/v1`, apiKey: service.key });
});
afterAll(async () => {
  await proxy.close();
  await service.close();
});

const faults = (...list: readonly Fault[]) =>
  fetch(`${proxy.origin}/faults`, { method: 'POST', body: JSON.stringify(list) });

test('a removal succeeds if the response to it was lost on a reused connection', async () => {
  await faults({ kind: 'keep' }, { kind: 'cut after' });
  const { id } = await store.pets.create({ name: 'Rex', categoryId: 1 });
  expect(await store.pets.delete(id)).toBeUndefined();
});

test('the outcome of a change is unknown if the response was lost on a reused connection', async () => {
  await store.categories.put(1, { name: 'Dogs' });
  await faults({ kind: 'keep' }, { kind: 'cut after' });
  const { response } = await store.categories.get(1).withResponse();
  const change = store.categories.put(1, { name: 'Cats' }, { ifMatch: response.etag });
  const error = await change.catch((caught) => caught);
  expect(error).toMatchObject({ code: 'precondition_failed', outcomeUnknown: true });
});
