/** The web shop of docs/recipes.md: what it prints, and that failures neither double nor lose an order. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { killAfterEachRequest } from '../support/guide-program.ts';
import { type Fault, startFaultyProxy } from './faulty-proxy.ts';
import { useGuideService } from './guide-service.ts';

const { proxy, project, connect, direct, through, serveInProcess } = useGuideService('shop');

const addAnimals = () => {
  const animal = (name: string) => ({ name, categoryId: 1, status: 'available' as const });
  return connect().pets.createMany(['Rex', 'Mia'].map(animal));
};
/** Everything that the service has, and what the shop knows of it. */
const states = async () => {
  const orders = await connect().orders.list().toArray();
  const pets = await connect().pets.list().toArray();
  const cart = await Bun.file(project().file('carts/cart-1.json')).json();
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

/** The commands of a sale, and the state after each. Approve and deliver send what return sends. */
const SALE = [
  [['hold', 'cart-1', '1', '2'], stateOf('placed', 'pending')],
  [['approve', 'cart-1'], stateOf('approved', 'pending')],
  [['deliver', 'cart-1'], stateOf('delivered', 'sold')],
  [['return', 'cart-1'], stateOf('returned', 'available')],
] as const;
const isKilled = ([name]: readonly string[]) => name === 'hold' || name === 'return';

test('the commands print what the page shows', () => project().expectShown(direct()));

test('a shop that is killed after each of its requests doubles no order, and loses none', async () => {
  await addAnimals();
  let kills = 0;
  for (const [command, state] of SALE) {
    const start = (killed: number) =>
      project().start(through(), ...(killed === 0 ? command : ['resume']));
    if (isKilled(command)) kills += await killAfterEachRequest(proxy, start);
    else await project().run(direct(), ...command);
    expect(await states()).toEqual(state);
  }
  expect(kills).toBe(4);
});

test('a service that is killed after a request doubles no order, and loses none', async () => {
  const { killAfter } = await serveInProcess();
  await addAnimals();
  for (const [command, state] of SALE) {
    // The shop repeats the first one that it holds, and the last one that it returns.
    const place = command[0] === 'hold' ? 1 : 2;
    const kills = killAfter((number) => isKilled(command) && number === place);
    await project().start(through(), ...command).exited;
    if (isKilled(command)) expect((await project().run(direct(), 'resume')).status).toBe(0);
    expect(await states()).toEqual(state);
    expect(kills()).toBe(isKilled(command) ? 1 : 0);
  }
});

test('lost requests and responses, limits and unavailability neither double nor lose an order', async () => {
  await addAnimals();
  const faulty = await startFaultyProxy(Number(new URL(direct().origin).port));
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
    expect((await project().run(through(faulty.origin), ...command)).stderr).toBe('');
    expect(await states()).toEqual(state);
  }
  await faulty.close();
});

test('an animal that does not exist is gone, and a cart or a command that is refused is an error', async () => {
  expect((await project().run(direct(), 'hold', 'cart-1', '7')).stdout).toBe(
    'cart-1 animal 7 gone\n',
  );
  expect((await project().run(direct(), 'aprove', 'cart-1')).status).toBe(1);
  const { status, stderr } = await project().run(direct(), 'hold', 'x'.repeat(101), '7');
  expect([status, stderr]).toEqual([1, expect.stringContaining('reference: must have')]);
});

test('a cart that exists is not begun anew: its orders would be lost', async () => {
  await addAnimals();
  await project().run(direct(), 'hold', 'cart-1', '1');
  const before = await states();
  const { status, stderr } = await project().run(direct(), 'hold', 'cart-1', '2');
  expect([status, stderr]).toEqual([1, expect.stringContaining('cart-1 exists.')]);
  expect(await states()).toEqual(before);
});

test('a hold that has ended is ordered anew, unless somebody else has the animal', async () => {
  const { database } = await serveInProcess();
  await addAnimals();
  await project().run(direct(), 'hold', 'cart-1', '1', '2');
  using storage = new Database(database);
  // The service writes, too.
  storage.exec('PRAGMA busy_timeout = 5000; UPDATE orders SET expires_at = 1');
  await connect().orders.place({ petId: 2 });
  expect((await project().run(direct(), 'approve', 'cart-1')).stdout).toBe(
    'cart-1 animal 1 approved animal 2 gone\n',
  );
  const { orders } = await states();
  expect(orders).toEqual(['expired', 'expired', 'placed', 'approved']);
});
