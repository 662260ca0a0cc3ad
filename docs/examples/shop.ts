/** Holds the animals of a cart, sells them, and takes them back: docs/recipes.md. The carts are files here, and rows of your database in your shop. */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { AnimalStore, isApiError, type OrderStatus } from '@animal-store/client';

/** `key` is the Idempotency-Key of the order. `gone`: the animal was not available. */
type Line = { petId: string; key: string; orderId?: string; status?: OrderStatus | 'gone' };
/** `goal` is the status that the orders are to have. */
type Cart = { id: string; lines: Line[]; goal: OrderStatus; isDone: boolean };

mkdirSync('carts', { recursive: true });
const load = (id: string): Cart => JSON.parse(readFileSync(`carts/${id}.json`, 'utf8'));
function save(cart: Cart): void {
  writeFileSync(`carts/${cart.id}.new`, JSON.stringify(cart), { flush: true });
  renameSync(`carts/${cart.id}.new`, `carts/${cart.id}.json`);
}

const { STORE: baseUrl = '', KEY: apiKey = '' } = process.env;
const store = new AnimalStore({ baseUrl, apiKey, int64: 'string', userAgent: 'shop/1.0' });

const isInvalid = (error: unknown, field: string) =>
  isApiError(error, 'validation_failed') && error.fields.some(({ path }) => path[0] === field);

/** Orders the animal of a line, once per key. */
async function order(cart: Cart, line: Line): Promise<void> {
  try {
    const body = { petId: line.petId, reference: cart.id };
    const { id, status } = await store.orders.place(body, { idempotencyKey: line.key });
    Object.assign(line, { orderId: id, status });
  } catch (error) {
    // The animal is not available, or is no animal.
    const isGone = isApiError(error, 'pet_not_available') || isInvalid(error, 'petId');
    if (!isGone) throw error;
    line.status = 'gone';
  }
  save(cart);
}

/** Brings the order of a line to the goal of its cart. */
async function advance(cart: Cart, line: Line): Promise<void> {
  if (line.status === 'gone') return;
  if (line.orderId === undefined) await order(cart, line);
  if (line.orderId === undefined || cart.goal === 'placed') return;
  try {
    line.status = (await store.orders.update(line.orderId, { status: cart.goal })).status;
  } catch (error) {
    if (!isApiError(error, 'invalid_transition')) throw error;
    line.status = (await store.orders.get(line.orderId)).status;
    if (line.status !== 'expired' || cart.goal !== 'approved') return;
    // The hold has ended. This is another order, so it has another key.
    Object.assign(line, { key: randomUUID(), orderId: undefined });
    save(cart);
    await advance(cart, line);
  }
}

async function run(cart: Cart): Promise<void> {
  save(cart);
  for (const line of cart.lines) await advance(cart, line);
  save(Object.assign(cart, { isDone: true }));
  console.log(cart.id, ...cart.lines.map(({ petId, status }) => `animal ${petId} ${status}`));
}

/** Adds a line to the notes of the orders, which the staff may edit at the same time. */
async function addNote(cart: Cart, text: string): Promise<void> {
  for (const { orderId } of cart.lines) {
    const change = ({ note = '' }) =>
      note.includes(text) ? undefined : { note: `${note}${text}\n` };
    if (orderId !== undefined) await store.orders.edit(orderId, change);
  }
}

async function main(): Promise<void> {
  const [command = '', id = '', ...rest] = process.argv.slice(2);
  const GOALS = {
    approve: 'approved',
    deliver: 'delivered',
    return: 'returned',
    cancel: 'cancelled',
  } as const;
  const goal = GOALS[command as keyof typeof GOALS];
  if (command === 'hold') {
    if (existsSync(`carts/${id}.json`))
      throw new Error(`${id} exists. Resume it, or choose another.`);
    const lines = rest.map((petId) => ({ petId, key: randomUUID() }));
    await run({ id, lines, goal: 'placed', isDone: false });
  } else if (goal) await run(Object.assign(load(id), { goal, isDone: false }));
  else if (command === 'note') await addNote(load(id), rest.join(' '));
  else if (command === 'resume') {
    const files = readdirSync('carts').filter((name) => name.endsWith('.json'));
    const open = files.map((name) => load(name.slice(0, -5))).filter(({ isDone }) => !isDone);
    for (const cart of open) await run(cart).catch((error) => console.error(String(error)));
  } else throw new Error(`There is no command ${command}.`);
}

main();
