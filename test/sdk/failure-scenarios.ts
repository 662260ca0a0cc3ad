import type { AnimalStore, CallOptions } from '../../sdk/src/index.ts';
import type { Fault } from './faulty-proxy.ts';
import { type Context, equal, rejection, type Scenario } from './scenarios.ts';

const BAD_GATEWAY: Fault = {
  kind: 'respond',
  status: 502,
  headers: { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' },
  body: '<html>Bad gateway</html>',
};
const busy = (status: number): Fault => ({
  kind: 'respond',
  status,
  headers: {
    'Retry-After': '0',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After',
  },
});

/** Each is a failure of one attempt. */
const TRANSIENT: readonly Fault[] = [
  { kind: 'cut before' },
  { kind: 'cut after' },
  { kind: 'cut body' },
  { kind: 'stall' },
  { kind: 'stall body' },
  BAD_GATEWAY,
  busy(503),
  busy(429),
];

/** Only where the timeout is expected: a machine may be slow. */
const limitsOf = ({ kind }: Fault, timeoutMs = 5_000): CallOptions =>
  kind.startsWith('stall') ? { timeoutMs } : {};

const titleOf = (fault: Fault): string =>
  fault.kind === 'respond' ? `${fault.kind} ${fault.status}` : fault.kind;

/** A scenario for each failure. */
const afterEach = (
  title: (failure: string) => string,
  run: (context: Context, fault: Fault, index: number) => Promise<void>,
): Record<string, Scenario> =>
  Object.fromEntries(
    TRANSIENT.map((fault, index) => [
      title(titleOf(fault)),
      (context) => run(context, fault, index),
    ]),
  );

/** Reads what no browser has in its cache. */
const read = (store: AnimalStore, options?: CallOptions) =>
  store.orders
    .list({ petId: Math.floor(Math.random() * 1e9) }, options)
    .pages()
    .next();

export const FAILURE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...afterEach(
    (failure) => `an animal is created once after: ${failure}`,
    async ({ store, faults, seen, uniqueName, count }, fault) => {
      const name = uniqueName();
      await faults(fault);
      const pet = await store.pets.create({ name, categoryId: 1 }, limitsOf(fault));
      equal(pet.name, name);
      const requests = (await seen()).filter(({ method }) => method === 'POST');
      equal(requests.length, 2, 'attempts');
      equal(new Set(requests.map((it) => it.idempotencyKey)).size, 1, 'idempotency keys');
      equal(await count(name), 1, 'animals');
    },
  ),

  'many animals are created once, wherever the connection is cut': async (context) => {
    const { store, faults, seen, uniqueName, count } = context;
    for (const kind of ['cut before', 'cut after', 'cut body'] as const) {
      const name = uniqueName();
      await faults({ kind });
      const call = store.pets.createMany([1, 2, 3].map((categoryId) => ({ name, categoryId })));
      const { data, response } = await call.withResponse();
      equal(response.replayed, kind !== 'cut before', kind);
      equal(data.map(({ categoryId }) => categoryId).join(), '1,2,3', kind);
      equal((await seen()).filter(({ method }) => method === 'POST').length, 2, 'attempts');
      equal(await count(name), 3, 'animals');
    }
  },

  'an animal is created once, also where a browser repeats the request by itself': async (
    context,
  ) => {
    const { store, faults, seen, uniqueName, count } = context;
    const name = uniqueName();
    await faults({ kind: 'none' }, { kind: 'keep' }, { kind: 'cut after' });
    await store.pets.create({ name: uniqueName(), categoryId: 1 });
    await store.pets.create({ name: uniqueName(), categoryId: 1 });
    const { response } = await store.pets.create({ name, categoryId: 1 }).withResponse();
    equal(response.replayed, true);
    const posts = (await seen()).filter(({ method }) => method === 'POST');
    const keys = posts.map(({ idempotencyKey }) => idempotencyKey);
    equal([keys.length, new Set(keys).size], [4, 3], 'requests and their keys');
    equal(await count(name), 1, 'animals');
  },

  ...afterEach(
    (failure) => `without retries, the error says what is known after: ${failure}`,
    async ({ faults, store, uniqueName }, fault, index) => {
      const classes = { cut: 'ConnectionError', stall: 'TimeoutError', respond: 'ApiError' };
      const [kind] = fault.kind.split(' ') as [keyof typeof classes];
      await faults(fault);
      // No response is expected after a stall.
      const options = { ...limitsOf(fault, 1_000), maxRetries: 0 };
      const error = await rejection(
        store.pets.create({ name: uniqueName(), categoryId: 1 }, options),
      );
      equal(error.name, classes[kind]);
      equal(error.outcomeUnknown, index < 7, 'whether the outcome is unknown');
      if (fault.kind === 'respond') {
        equal([error.status, error.code], [fault.status, undefined]);
        equal(error.retryAfterMs, fault === BAD_GATEWAY ? undefined : 0);
      }
      await faults(fault);
      const failed = await rejection(read(store, options));
      equal([failed.name, failed.outcomeUnknown], [error.name, false]);
    },
  ),

  'an aborted call rejects with the reason of its signal': async (context) => {
    const { store, faults, uniqueName } = context;
    const early = new AbortController();
    early.abort('too early');
    const onRequest = () => {
      throw new Error('A request was announced.');
    };
    equal(await rejection(read(store, { signal: early.signal, onRequest })), 'too early');
    await faults({ kind: 'stall' }, { kind: 'stall body' });
    for (const reason of ['during the request', 'during the body']) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      equal(await rejection(read(store, { signal: controller.signal })), reason);
    }
    await faults({ ...busy(503), headers: { 'Retry-After': '30' } } as Fault);
    const controller = new AbortController();
    setTimeout(() => controller.abort('during the delay'), 100);
    equal(await rejection(read(store, { signal: controller.signal })), 'during the delay');
    const { id } = await store.pets.create({ name: uniqueName(), categoryId: 1 });
    const late = new AbortController();
    const change = () => {
      late.abort('during the change');
      return new Promise<undefined>(() => {});
    };
    const edit = store.pets.edit(id, change, { signal: late.signal });
    equal(await rejection(edit), 'during the change');
  },

  'a removal that is repeated succeeds': async ({ store, faults, seen, uniqueName }) => {
    const { id } = await store.pets.create({ name: uniqueName(), categoryId: 1 });
    await faults({ kind: 'cut after' });
    equal(await store.pets.delete(id), undefined);
    equal((await seen()).length, 2);
    equal((await rejection(store.pets.delete(id))).code, 'pet_not_found');
  },

  'an edit whose response is lost is not made again': async ({ store, faults, uniqueName }) => {
    const name = uniqueName();
    const { id } = await store.pets.create({ name, categoryId: 1, status: 'sold' });
    await faults({ kind: 'none' }, { kind: 'cut after' });
    const edit = store.pets.edit(id, (pet) => ({ name: `${pet.name}!`, status: null }));
    const error = await rejection(edit);
    equal([error.code, error.outcomeUnknown], ['precondition_failed', true]);
    equal(await store.pets.get(id), { id, name: `${name}!`, categoryId: 1 });
    await faults({ kind: 'none' }, { kind: 'cut before' });
    const again = await store.pets.edit(id, (pet) => ({ name: `${pet.name}!` }));
    equal(again.name, `${name}!!`);
  },

  'an edit starts again if somebody else was faster': async ({ store, uniqueName }) => {
    const name = uniqueName();
    const { id } = await store.pets.create({ name, categoryId: 1 });
    let edits = 0;
    const pet = await store.pets.edit(id, async (current) => {
      if (edits++ < 2) await store.pets.update(id, { categoryId: edits + 1 });
      return { name: `${current.categoryId}` };
    });
    equal([pet.name, pet.categoryId, edits], ['3', 3, 3]);
    const endless = store.pets.edit(id, async (current) => {
      edits++;
      await store.pets.update(id, { name: `${current.name}x` });
      return { categoryId: 9 };
    });
    equal([(await rejection(endless)).code, edits], ['precondition_failed', 3 + 5]);
  },

  'without extensions, a creation is not repeated if it may have succeeded': async (context) => {
    const { store, storeWith, faults, seen, uniqueName, count } = context.withoutExtensions();
    const name = uniqueName();
    await faults({ kind: 'cut after' });
    const error = await rejection(store.pets.create({ name, categoryId: 1 }));
    equal([error.name, error.outcomeUnknown], ['ConnectionError', true]);
    const requests = (await seen()).map(({ method, path }) => `${method} ${path}`);
    equal(requests, ['POST /v1/pets', 'GET /v1/categories?limit=1'], 'requests');
    equal(await count(name), 1, 'animals');
    const informed = storeWith({ extensions: false });
    await faults({ kind: 'cut before' });
    await rejection(informed.pets.create({ name, categoryId: 1 }));
    equal((await seen()).length, 1);
    await faults(busy(429));
    await informed.pets.create({ name, categoryId: 1 });
    equal(await count(name), 2, 'animals');
  },

  'without extensions, no other animal than the wanted one is returned': async (context) => {
    const { store, storeWith, uniqueName } = context.withoutExtensions();
    const lenient = storeWith({ strict: false });
    const first = await store.pets.create({ name: uniqueName(), categoryId: 1 });
    const second = await store.pets.create({ name: uniqueName(), categoryId: 1 });
    equal((await rejection(lenient.pets.get(second.id))).name, 'UnsupportedError');
    const refused = await rejection(store.pets.get(second.id));
    equal([refused.code, refused.fields[0]?.path], ['invalid_parameter', ['id']]);
    const others = [{ id: [first.id] }, { categoryId: 777 }];
    for (const query of others)
      equal((await rejection(lenient.pets.list(query).toArray())).name, 'UnsupportedError');
    for (const query of [...others, { name: second.name }, { sort: '-id' } as const])
      equal((await rejection(store.pets.list(query).toArray())).code, 'invalid_parameter');
  },
};
