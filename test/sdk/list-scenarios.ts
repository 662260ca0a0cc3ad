import { equal, rejection, type Scenario } from './scenarios.ts';

const idsOf = async (list: { toArray(): Promise<{ readonly id: unknown }[]> }) =>
  (await list.toArray()).map(({ id }) => id);

/** Lists, their orders and filters. */
export const LIST_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a list is read page by page, through the proxy': async ({ store, uniqueName, seen, faults }) => {
    const ids: unknown[] = [];
    for (let index = 0; index < 5; index++) {
      ids.push((await store.pets.create({ name: uniqueName(), categoryId: 4711 })).id);
    }
    await faults();
    const listed: unknown[] = [];
    for await (const { id } of store.pets.list({ categoryId: 4711, limit: 2 })) listed.push(id);
    equal(listed, ids);
    equal((await seen()).length, 3, 'requests');
    const sizes: number[] = [];
    let cursor: string | undefined;
    for await (const page of store.pets.list({ categoryId: 4711, limit: 2 }).pages()) {
      sizes.push(page.data.length);
      cursor ??= page.nextCursor;
    }
    equal(sizes, [2, 2, 1]);
    equal(await idsOf(store.pets.list({ categoryId: 4711, cursor })), ids.slice(2));
    await faults();
    const newestFirst = { categoryId: 4711, limit: 2, sort: '-id' } as const;
    equal(await idsOf(store.pets.list(newestFirst)), ids.toReversed());
    equal((await seen()).length, 3, 'requests in the other order');
    await faults();
    for await (const _pet of store.pets.list({ categoryId: 4711, limit: 1 })) break;
    equal((await seen()).length, 1, 'requests of a loop that ends');
    for await (const pet of store.pets.list({ id: [] })) equal(pet, 'nothing');
    equal((await seen()).length, 1, 'requests for no id');
  },

  'a list becomes an array, up to a limit': async ({ store, uniqueName, seen, faults }) => {
    for (let index = 0; index < 3; index++)
      await store.pets.create({ name: uniqueName(), categoryId: 4716 });
    const list = store.pets.list({ categoryId: 4716, limit: 1 });
    equal((await list.toArray()).length, 3);
    for (const limit of [0, 1, 2]) {
      await faults();
      equal((await list.toArray({ limit })).length, limit);
      equal((await seen()).length, limit, 'requests');
    }
    for (const limit of [-1, Number.NaN])
      equal((await rejection(list.toArray({ limit }))).name, 'TypeError');
  },

  'events are exact, and are selected': async ({ store, storeWith, uniqueName }) => {
    const [large, larger] = [9007199254740993n, 2n ** 63n - 1n];
    const { id } = await store.pets.create({ name: uniqueName(), categoryId: large });
    await store.pets.update(id, { categoryId: larger });
    const query = { subject: `pets/${id}`, limit: 1 };
    const [created, updated] = await store.events.list(query).toArray();
    equal(updated?.data, { ...created?.data, categoryId: larger });
    equal(updated?.previous, { categoryId: large });
    equal([typeof created?.id, typeof created?.actor.keyId], ['string', 'number']);
    const texts = await storeWith({ int64: 'string' }).events.list(query).toArray();
    equal(texts[1]?.previous, { categoryId: String(large) });
    const later = { ...query, after: created?.id, type: ['pet.updated'] } as const;
    equal(await store.events.list(later).toArray(), [updated]);
    const expired = store.events.list({ after: '00000000-1' }).toArray();
    equal((await rejection(expired)).code, 'events_expired');
  },

  'events are followed through broken connections': async ({ store, uniqueName, seen, faults }) => {
    const { id } = await store.pets.create({ name: `${uniqueName()} 🦈`, categoryId: 2n ** 60n });
    const subject = `pets/${id}`;
    const [created] = await store.events.list({ subject }).toArray();
    for (const name of ['Éa', '二🦈']) await store.pets.update(id, { name });
    // In the middle of the first event, within a character of four bytes or close to it.
    await faults(
      { kind: 'cut before' },
      { kind: 'cut stream', bytes: 250 },
      { kind: 'cut stream', bytes: 450 },
    );
    const followed: unknown[] = [];
    const errors: string[] = [];
    const onRetry = ({ error }: { readonly error: unknown }) => errors.push((error as Error).name);
    const events = store.events.stream({ subject, after: created?.id }, { onRetry });
    for await (const event of events) {
      followed.push(event);
      if (event.type === 'pet.updated' && event.data.name === '二🦈') break;
    }
    equal(followed, (await store.events.list({ subject }).toArray()).slice(1));
    equal(errors, ['ConnectionError', 'ConnectionError', 'ConnectionError']);
    const streams = (await seen()).filter(({ path }) => path.startsWith('/v1/events/stream'));
    equal(streams.length, 4, 'requests');
    const silent = store.events.stream({ subject });
    const next = silent.next();
    await silent.return?.();
    equal(await next, { done: true });
    const expired = store.events.stream({ after: '00000000-1' });
    equal((await rejection(expired.next())).code, 'events_expired');
    const aborted = store.events.stream({ subject }, { signal: AbortSignal.timeout(50) });
    equal((await rejection(aborted.next())).name, 'TimeoutError');
  },

  'animals and categories are found by a part of the name': async ({ store, uniqueName }) => {
    const name = `${uniqueName()} Café?&=+%`;
    const { id } = await store.pets.create({ name: `${name}!`, categoryId: 4714 });
    await store.categories.put(-4714, { name });
    equal(await idsOf(store.pets.list({ name: name.toUpperCase(), limit: 1 })), [id]);
    equal(await idsOf(store.categories.list({ name, sort: '-id' })), [-4714]);
    equal(await idsOf(store.categories.list({ name: `${name}!` })), []);
    const numbered = await store.pets.create({ name: 'Rex 8150815', categoryId: 4717 });
    const query = { name: 8150815 as unknown as string, categoryId: 4717 };
    equal(await idsOf(store.pets.list(query)), [numbered.id], 'a number');
  },

  'orders are found by reference, statuses and time': async (context) => {
    const { store, uniqueName, seen, faults } = context;
    const pet = { name: uniqueName(), categoryId: 1, status: 'available' } as const;
    const { id: petId } = await store.pets.create(pet);
    const [reference, note] = [uniqueName(), 'a\nb'];
    const sale = await store.orders.place({ petId, status: 'delivered', reference, note });
    equal([sale.status, sale.reference, sale.note], ['delivered', reference, note]);
    await store.orders.return(sale.id);
    const held = await store.orders.place({ petId, reference });
    await store.orders.update(held.id, { reference: null });
    const found = (query: Parameters<typeof store.orders.list>[0]) =>
      idsOf(store.orders.list({ petId, limit: 1, ...query }));
    equal(await found({ reference }), [sale.id]);
    equal(await found({ status: ['placed', 'returned'] }), [sale.id, held.id]);
    equal(await found({ status: 'placed' }), [held.id]);
    equal(await found({ createdAfter: sale.createdAt, sort: '-id' }), [held.id, sale.id]);
    await faults();
    equal(await found({ status: [] }), []);
    equal((await seen()).length, 0, 'requests for no status');
    await store.orders.cancel(held.id);
  },
};
