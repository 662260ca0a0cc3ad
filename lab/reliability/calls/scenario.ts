import { bearer } from '../../../test/support/process.ts';
import type { Random } from '../../../test/support/random.ts';

/** A request that changes something, and what it changes. */
export interface Change {
  readonly name: string;
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its events, as `nameOf` in `judge.ts` calls them. No two changes have one in common. */
  readonly events: readonly string[];
}

/** Changes that are sent at the same time. */
export type Step = readonly Change[];

/** What the requests need, by its ids. */
export interface Prepared {
  /** Available, each for one request. */
  readonly pets: readonly number[];
  /** Orders for the first animals. */
  readonly orders: Readonly<Record<'placed' | 'approved' | 'delivered' | 'another', number>>;
  readonly keys: Readonly<Record<'rotated' | 'revoked', number>>;
}

const newPet = (name: string) => ({ name, categoryId: 1, status: 'available' });

/** The name of an animal of `Prepared`, by its position. */
export const petName = (index: number): string => `animal ${index}`;

export const PETS = 14;

const create = (name: string, headers = {}): Change => ({
  name: `createPet (${name})`,
  method: 'POST',
  path: '/pets',
  body: newPet(name),
  headers,
  events: [`pet.created ${name} available`],
});

const BATCH = ['first of batch', 'second of batch', 'third of batch'];

const patch = (name: string, path: string, body: unknown, events: readonly string[]): Change => ({
  name,
  method: 'PATCH',
  path,
  body,
  events,
});

const retried = (key: string) => ({ 'Idempotency-Key': key });

/** The writing operations of the API, each with each of its effects, in an order that `random` decides. */
export function stepsOf({ pets, orders, keys }: Prepared, random: Random): Step[] {
  const orderOf = (index: number) => `of animal ${pets[index]}`;
  const move = (order: number, index: number, from: string, to: string, animal: string): Change =>
    patch(`updateOrder (${from} to ${to})`, `/store/orders/${order}`, { status: to }, [
      `order.${to} ${orderOf(index)}`,
      ...(animal === '' ? [] : [`pet.updated ${petName(index)} ${animal}`]),
    ]);
  const place = (index: number, status: 'placed' | 'delivered', animal: string): Change => ({
    name: `placeOrder (${status})`,
    method: 'POST',
    path: '/store/orders',
    body: { petId: pets[index], status },
    headers: retried(`order-${status}`),
    events: [`order.${status} ${orderOf(index)}`, `pet.updated ${petName(index)} ${animal}`],
  });
  const steps: Step[] = [
    [create('alone')],
    [create('with a key', retried('addition'))],
    ['one', 'two', 'three', 'four'].map((name) => create(`${name} of four`)),
    [
      {
        name: 'batchCreatePets',
        method: 'POST',
        path: '/pet-batches',
        body: { pets: BATCH.map(newPet) },
        headers: retried('batch'),
        events: BATCH.map((name) => `pet.created ${name} available`),
      },
    ],
    [
      patch('updatePet (status)', `/pets/${pets[8]}`, { status: 'sold' }, [
        `pet.updated ${petName(8)} sold`,
      ]),
    ],
    [
      patch('updatePet (name)', `/pets/${pets[9]}`, { name: 'renamed' }, [
        'pet.updated renamed available',
      ]),
    ],
    [
      {
        name: 'deletePet',
        method: 'DELETE',
        path: `/pets/${pets[10]}`,
        events: [`pet.deleted ${petName(10)} available`],
      },
    ],
    [
      {
        name: 'putCategory (new)',
        method: 'PUT',
        path: '/categories/7',
        body: { name: 'new' },
        events: ['category.created new'],
      },
    ],
    [
      {
        name: 'putCategory (known)',
        method: 'PUT',
        path: '/categories/2',
        body: { name: 'other' },
        events: ['category.updated other'],
      },
    ],
    [
      {
        name: 'deleteCategory',
        method: 'DELETE',
        path: '/categories/3',
        events: ['category.deleted category 3'],
      },
    ],
    [place(6, 'placed', 'pending')],
    [place(7, 'delivered', 'sold')],
    [move(orders.placed, 0, 'placed', 'approved', '')],
    [move(orders.approved, 1, 'approved', 'delivered', 'sold')],
    [move(orders.delivered, 2, 'delivered', 'returned', 'available')],
    [move(orders.another, 3, 'placed', 'cancelled', 'available')],
    [
      {
        name: 'createApiKey',
        method: 'POST',
        path: '/api-keys',
        body: { name: 'created key' },
        headers: retried('key'),
        events: ['api_key.created created key'],
      },
    ],
    [
      {
        name: 'rotateApiKey',
        method: 'POST',
        path: `/api-keys/${keys.rotated}/rotate`,
        body: { gracePeriodSeconds: 3_600 },
        headers: retried('rotation'),
        events: ['api_key.rotated rotated', 'api_key.created rotated'],
      },
    ],
    [
      {
        name: 'revokeApiKey',
        method: 'DELETE',
        path: `/api-keys/${keys.revoked}`,
        events: ['api_key.revoked revoked'],
      },
    ],
  ];
  return shuffled(steps, random);
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** Far longer than any request takes, and less than REQUEST_TIMEOUT. */
const LIMIT_MS = 15_000;

export interface Response {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request. Status 0: it got no response in time. */
export async function send(
  origin: string,
  key: string,
  { method, path, body, headers }: Pick<Change, 'method' | 'path' | 'body' | 'headers'>,
): Promise<Response> {
  try {
    const response = await fetch(`${origin}/v1${path}`, {
      method,
      headers: { ...bearer(key).headers, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  } catch (error) {
    return { status: 0, body: { message: String(error) } };
  }
}
