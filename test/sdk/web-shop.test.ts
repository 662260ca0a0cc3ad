/** The web shop of docs/web-shop.md: what it prints, and that failures neither double nor lose an order. */
import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test';
import { AnimalStore } from '../../sdk/src/index.ts';
import {
  killAfterEachRequest,
  projectOf,
  startInterruptingProxy,
} from '../support/guide-program.ts';
import {
  type RunningService,
  startService,
  TEST_LIMIT_MS,
  type Workplace,
  withService,
  workplace,
} from '../support/process.ts';
import { type Fault, startFaultyProxy } from './faulty-proxy.ts';

const proxy = startInterruptingProxy();
afterAll(() => proxy.close());

let place: Workplace;
let shop: Awaited<ReturnType<typeof projectOf>>;
let service: RunningService;
let key: string;
beforeEach(async () => {
  place = workplace();
  shop = await projectOf('web-shop', 'shop');
  service = await startService(place.database);
  key = service.firstKey ?? '';
  proxy.forwardTo(service.origin);
});
afterEach(async () => {
  await withService(service, async () => {});
  shop.remove();
  place.remove();
});

const connect = () => new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: key });
const addAnimals = () => {
  const animal = (name: string) => ({ name, categoryId: 1, status: 'available' as const });
  return connect().pets.createMany(['Rex', 'Mia'].map(animal));
};
/** Everything that the service has, and what the shop knows of it. */
const states = async () => {
  const orders = await connect().orders.list().toArray();
  const pets = await connect().pets.list().toArray();
  const cart = await Bun.file(shop.file('carts/cart-1.json')).json();
  return {
    orders: orders.map(({ status }): string => status),
    animals: pets.map(({ status }): string | undefined => status),
    lines: cart.lines.map(({ status }: { status: string }) => status),
    isDone: cart.isDone,
  };
};
const stateOf = (order: string, animal: string) => ({
  ...{ orders: [order, order], lines: [order, order] },
  ...{ animals: [animal, animal], isDone: true },
});
const direct = () => ({ origin: service.origin, key });

/** The commands of a sale, and the state after each. */
const SALE = [
  [['hold', 'cart-1', '1', '2'], stateOf('placed', 'pending')],
  [['approve', 'cart-1'], stateOf('approved', 'pending')],
  [['deliver', 'cart-1'], stateOf('delivered', 'sold')],
  [['return', 'cart-1'], stateOf('returned', 'available')],
] as const;

test('the commands print what the page shows', () => shop.expectShown(direct()), TEST_LIMIT_MS);

test(
  'a shop that is killed after each of its requests doubles no order, and loses none',
  async () => {
    await addAnimals();
    let kills = 0;
    for (const [command, state] of SALE) {
      kills += await killAfterEachRequest(proxy, (killed) =>
        shop.start({ origin: proxy.origin, key }, ...(killed === 0 ? command : ['resume'])),
      );
      expect(await states()).toEqual(state);
    }
    expect(kills).toBe(8);
  },
  TEST_LIMIT_MS,
);

test(
  'a service that is killed after each request doubles no order, and loses none',
  async () => {
    await addAnimals();
    for (const [command, state] of SALE) {
      const run = shop.start({ origin: proxy.origin, key }, ...command);
      let kills = 0;
      proxy.watch(async (number) => {
        // The shop repeats each of its two requests.
        if (number !== 1 && number !== 3) return;
        service.signal('SIGKILL');
        await service.ended();
        service = await startService(place.database);
        proxy.forwardTo(service.origin);
        kills += 1;
        throw new Error('The response is lost.');
      });
      await run.exited;
      expect((await shop.run(direct(), 'resume')).status).toBe(0);
      expect(await states()).toEqual(state);
      expect(kills).toBe(2);
    }
  },
  TEST_LIMIT_MS,
);

test(
  'lost requests and responses, limits and unavailability neither double nor lose an order',
  async () => {
    await addAnimals();
    const faulty = await startFaultyProxy(Number(new URL(service.origin).port));
    const respond = (status: number, code: string): Fault => ({
      ...{ kind: 'respond', status, headers: { 'Retry-After': '0' } },
      body: JSON.stringify({ code, message: code, status }),
    });
    const faults: readonly (readonly Fault[])[] = [
      [{ kind: 'cut before' }, { kind: 'cut after' }],
      [respond(429, 'rate_limited'), { kind: 'cut after' }],
      [{ kind: 'none' }, respond(503, 'unavailable')],
      [{ kind: 'cut body' }],
    ];
    for (const [number, [command, state]] of SALE.entries()) {
      const body = JSON.stringify(faults[number]);
      await fetch(`${faulty.origin}/faults`, { method: 'POST', body });
      const { stderr } = await shop.run({ origin: faulty.origin, key }, ...command);
      expect(stderr).toBe('');
      expect(await states()).toEqual(state);
    }
    await faulty.close();
  },
  TEST_LIMIT_MS,
);

test(
  'an animal that does not exist is gone, and a cart that is refused is an error',
  async () => {
    expect((await shop.run(direct(), 'hold', 'cart-1', '7')).stdout).toBe('cart-1 animal 7 gone\n');
    const { status, stderr } = await shop.run(direct(), 'hold', 'x'.repeat(101), '7');
    expect([status, stderr]).toEqual([1, expect.stringContaining('reference: must have')]);
  },
  TEST_LIMIT_MS,
);

test(
  'a hold that has ended is ordered anew, unless somebody else has the animal',
  async () => {
    await addAnimals();
    await shop.run(direct(), 'hold', 'cart-1', '1', '2');
    using database = new Database(place.database);
    database.run(`UPDATE orders SET expires_at = 1`);
    await connect().orders.place({ petId: 2 });
    expect((await shop.run(direct(), 'approve', 'cart-1')).stdout).toBe(
      'cart-1 animal 1 approved animal 2 gone\n',
    );
    const { orders } = await states();
    expect(orders).toEqual(['expired', 'expired', 'placed', 'approved']);
  },
  TEST_LIMIT_MS,
);
