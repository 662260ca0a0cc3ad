import type { Category } from '../../../src/categories/category.ts';
import type { Sort } from '../../../src/http/contract/list-query.ts';
import type { Int64 } from '../../../src/int64.ts';
import type { NewOrder, Order, OrderPatch } from '../../../src/orders/order.ts';
import type { NewPet, Pet, PetPatch } from '../../../src/pets/pet.ts';

/** The expected response: a status, and a body or an error code. */
export type Expected =
  | { readonly status: number; readonly body?: unknown }
  | { readonly status: number; readonly code: string };

const ok = (body: unknown): Expected => ({ status: 200, body });
const created = (body: unknown): Expected => ({ status: 201, body });
const noContent: Expected = { status: 204 };
const error = (status: number, code: string): Expected => ({ status, code });

const ALLOWED: Readonly<Record<string, Pet['status']>> = {
  'placed approved': 'pending',
  'placed delivered': 'sold',
  'placed cancelled': 'available',
  'approved delivered': 'sold',
  'approved cancelled': 'available',
  'delivered returned': 'available',
};

/** The order is open, or has sold its animal. */
const isSale = ({ status }: Order): boolean =>
  status === 'placed' || status === 'approved' || status === 'delivered';

export interface PageQuery {
  readonly limit: number;
  readonly sort?: Sort | undefined;
}

const inOrder = <Item extends { readonly id: Int64 }>(
  items: Iterable<Item>,
  sort: Sort | undefined,
): Item[] => {
  const ascending = [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
  return sort === '-id' ? ascending.reverse() : ascending;
};

/** The simplest implementation of the service: maps and arrays, one request after another. */
export class Model {
  readonly pets = new Map<Int64, Pet>();
  readonly categories = new Map<Int64, Category>();
  readonly orders = new Map<Int64, Order>();
  #lastPetId = 0;
  #lastOrderId = 0;

  constructor(
    public now: number,
    readonly orderHoldMs: number,
  ) {}

  createPet(pet: NewPet): Expected {
    this.#lastPetId += 1;
    const added = { id: this.#lastPetId, ...pet };
    this.pets.set(added.id, added);
    return created(added);
  }

  /** All or none. An animal without a name is invalid. */
  batchCreatePets(pets: readonly NewPet[]): Expected {
    if (pets.length === 0 || pets.some(({ name }) => name === ''))
      return error(400, 'validation_failed');
    return created(pets.map((pet) => (this.createPet(pet) as { body?: unknown }).body));
  }

  getPet(id: Int64): Expected {
    const pet = this.pets.get(id);
    return pet ? ok(pet) : error(404, 'pet_not_found');
  }

  listPets({ limit, sort }: PageQuery, matches: (pet: Pet) => boolean): Expected {
    return ok(inOrder(this.pets.values(), sort).filter(matches).slice(0, limit));
  }

  updatePet(id: Int64, patch: PetPatch): Expected {
    if (patch.id !== undefined && patch.id !== id) return error(400, 'read_only_field');
    this.#expire();
    const pet = this.pets.get(id);
    if (pet === undefined) return error(404, 'pet_not_found');
    const changed: Record<string, unknown> = { ...pet, ...patch };
    if (changed['status'] === null) delete changed['status'];
    if (changed['status'] !== pet.status && this.#openOrder(id)) return error(409, 'pet_reserved');
    this.pets.set(id, changed as unknown as Pet);
    return ok(changed);
  }

  deletePet(id: Int64): Expected {
    this.#expire();
    if (!this.pets.has(id)) return error(404, 'pet_not_found');
    if (this.#openOrder(id)) return error(409, 'pet_reserved');
    this.pets.delete(id);
    return noContent;
  }

  putCategory(id: Int64, name: string): Expected {
    const known = this.categories.has(id);
    this.categories.set(id, { id, name });
    return known ? ok({ id, name }) : created({ id, name });
  }

  getCategory(id: Int64): Expected {
    const category = this.categories.get(id);
    return category ? ok(category) : error(404, 'category_not_found');
  }

  listCategories({ limit, sort }: PageQuery): Expected {
    const page = inOrder(this.categories.values(), sort).slice(0, limit);
    return ok(page.map((category) => ({ ...category, counts: this.#countsOf(category.id) })));
  }

  deleteCategory(id: Int64): Expected {
    if (!this.categories.has(id)) return error(404, 'category_not_found');
    const inUse = [...this.pets.values()].some((pet) => pet.categoryId === id);
    if (inUse) return error(409, 'category_in_use');
    this.categories.delete(id);
    return noContent;
  }

  placeOrder({ petId, status = 'placed', ...texts }: NewOrder): Expected {
    this.#expire();
    const pet = this.pets.get(petId);
    if (pet === undefined) return error(400, 'validation_failed');
    if (pet.status !== 'available') return error(409, 'pet_not_available');
    this.pets.set(petId, { ...pet, status: status === 'delivered' ? 'sold' : 'pending' });
    const expiresAt = new Date(this.now + this.orderHoldMs).toISOString();
    this.#lastOrderId += 1;
    const order: Order = {
      id: this.#lastOrderId,
      petId,
      status,
      createdAt: new Date(this.now).toISOString(),
      ...(status === 'placed' && { expiresAt }),
      ...this.#timesOf(status),
      ...texts,
    };
    this.orders.set(order.id, order);
    return created(order);
  }

  updateOrder(id: Int64, patch: OrderPatch): Expected {
    this.#expire();
    const order = this.orders.get(id);
    if (order === undefined) return error(404, 'order_not_found');
    const { status = order.status } = patch;
    const petStatus = ALLOWED[`${order.status} ${status}`];
    if (status !== order.status && petStatus === undefined) return error(409, 'invalid_transition');
    const changed: Record<string, unknown> = { ...order, ...patch, status };
    if (status !== order.status) {
      delete changed['expiresAt'];
      Object.assign(changed, this.#timesOf(status));
    }
    for (const text of ['reference', 'note']) if (changed[text] === null) delete changed[text];
    this.orders.set(id, changed as unknown as Order);
    const isKept = status === 'returned' && !this.#isLastSale(order);
    if (status !== order.status && !isKept) this.#setPetStatus(order.petId, petStatus);
    return ok(changed);
  }

  getOrder(id: Int64): Expected {
    const order = this.orders.get(id);
    return order ? ok(order) : error(404, 'order_not_found');
  }

  listOrders({ limit, sort }: PageQuery, matches: (order: Order) => boolean): Expected {
    return ok(inOrder(this.orders.values(), sort).filter(matches).slice(0, limit));
  }

  inventory(categoryId?: Int64): Expected {
    return ok(this.#countsOf(categoryId));
  }

  advance(ms: number): void {
    this.now += ms;
    this.#expire();
  }

  deleteOrdersEndedBefore(time: number): void {
    for (const [id, { endedAt }] of this.orders)
      if (endedAt !== undefined && Date.parse(endedAt) < time) this.orders.delete(id);
  }

  #countsOf(category: Int64 | undefined) {
    const counts = { available: 0, pending: 0, sold: 0, unset: 0 };
    for (const { categoryId, status } of this.pets.values())
      if (category === undefined || categoryId === category) counts[status ?? 'unset'] += 1;
    return counts;
  }

  #expire(): void {
    for (const [id, order] of this.orders) {
      const isDue = order.expiresAt !== undefined && Date.parse(order.expiresAt) <= this.now;
      if (order.status !== 'placed' || !isDue) continue;
      this.orders.set(id, { ...order, status: 'expired', ...this.#timesOf('expired') });
      this.#setPetStatus(order.petId, 'available');
    }
  }

  /** Whether the animal of a delivered order is sold, and by no later one. */
  #isLastSale({ id, petId }: Order): boolean {
    const isSoldAgain = [...this.orders.values()].some(
      (order) => order.petId === petId && order.id > id && isSale(order),
    );
    return this.pets.get(petId)?.status === 'sold' && !isSoldAgain;
  }

  /** The times that an order gets with a status. */
  #timesOf(status: Order['status']): Partial<Order> {
    const now = new Date(this.now).toISOString();
    if (status === 'placed' || status === 'approved') return {};
    return { ...(status === 'delivered' && { deliveredAt: now }), endedAt: now };
  }

  #setPetStatus(id: Int64, status: Pet['status']): void {
    const pet = this.pets.get(id);
    if (pet) this.pets.set(id, { ...pet, status });
  }

  #openOrder(petId: Int64): boolean {
    return [...this.orders.values()].some(
      (order) =>
        order.petId === petId && (order.status === 'placed' || order.status === 'approved'),
    );
  }
}
