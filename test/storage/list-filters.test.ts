/** Tests every declared filter of every list. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ListQuery, Sort } from '../../src/http/contract/list-query.ts';
import { ORDER_FILTERS, type OrderFilters, timeOrderOf } from '../../src/orders/order-filters.ts';
import { timesOf } from '../../src/orders/order-states.ts';
import { PET_FILTERS, type PetFilters } from '../../src/pets/pet-filters.ts';
import type { Readers } from '../../src/storage/database.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';

/** Two values for each filter, and the items that match. A missing filter does not compile. */
type Samples<Filters, Item> = {
  readonly [Name in keyof Filters]-?: {
    readonly values: readonly [NonNullable<Filters[Name]>, NonNullable<Filters[Name]>];
    readonly matches: (item: Item, value: NonNullable<Filters[Name]>) => boolean;
  };
};

interface ListedPet {
  readonly id: unknown;
  readonly name: string;
  readonly categoryId: unknown;
  readonly status?: string;
}
const PET_SAMPLES: Samples<PetFilters, ListedPet> = {
  status: { values: ['available', 'sold'], matches: (pet, value) => pet.status === value },
  categoryId: { values: [1, 2], matches: (pet, value) => pet.categoryId === value },
  id: {
    values: [[1, 5, 9, 10], [2]],
    matches: ({ id }, value) => (value as readonly unknown[]).includes(id),
  },
  name: {
    values: ['animal 1', '2'],
    matches: ({ name }, value) => name.toLowerCase().includes(value),
  },
};

/** A time of the first minutes of 2027. */
const at = (minute: number): string => new Date(Date.UTC(2027, 0, 1, 0, minute)).toISOString();

interface ListedOrder {
  readonly petId: unknown;
  readonly status: string;
  readonly reference?: string;
  readonly note?: string;
  readonly createdAt: string;
  readonly deliveredAt?: string;
}
const ORDER_SAMPLES: Samples<OrderFilters, ListedOrder> = {
  status: {
    values: [['placed'], ['cancelled', 'expired', 'cancelled']],
    matches: ({ status }, values) => (values as readonly string[]).includes(status),
  },
  petId: { values: [1, 2], matches: (order, value) => order.petId === value },
  reference: { values: ['R-1', 'r-1'], matches: ({ reference }, value) => reference === value },
  createdAfter: { values: [at(3), at(5)], matches: ({ createdAt }, value) => createdAt >= value },
  createdBefore: { values: [at(3), at(5)], matches: ({ createdAt }, value) => createdAt < value },
  deliveredAfter: {
    values: [at(3), at(5)],
    matches: ({ deliveredAt = '' }, value) => deliveredAt >= value,
  },
  deliveredBefore: {
    values: [at(3), at(5)],
    matches: ({ deliveredAt = 'never' }, value) => deliveredAt < value,
  },
  text: {
    values: ['r-1', 'GARDEN'],
    matches: ({ reference = '', note = '' }, value) =>
      `${reference}\n${note}`.toLowerCase().includes(value.toLowerCase()),
  },
};

const LISTS = [
  {
    name: 'animals',
    declared: PET_FILTERS,
    samples: PET_SAMPLES,
    list: async ({ pets }: Readers, query: ListQuery<object & PetFilters>) =>
      pets.list(query, undefined, 100),
  },
  {
    name: 'orders',
    declared: ORDER_FILTERS,
    samples: ORDER_SAMPLES,
    list: async ({ orders }: Readers, query: ListQuery<object & OrderFilters>) =>
      orders.list({ ...query, by: timeOrderOf(query.filters) }, undefined, 100),
  },
] as const;

interface Sample {
  readonly values: readonly [unknown, unknown];
  readonly matches: (item: unknown, value: unknown) => boolean;
}

describe.each(ENGINES)('$name', ({ open }) => {
  let storage: TestStorage;
  beforeAll(async () => {
    storage = await open();
    const statuses = ['available', 'pending', 'sold', undefined] as const;
    const animals = Array.from({ length: 48 }, (_, index) => ({
      name: `Animal ${index}`,
      categoryId: index % 3,
      status: statuses[index % 4],
    }));
    await importPets(storage.database, animals);
    for (let index = 0; index < 24; index += 1) {
      const status = (['cancelled', 'expired', 'delivered'] as const)[index % 3] ?? 'expired';
      await storage.database.write(BY_TEST, ({ orders }) =>
        orders.create({
          petId: index % 5,
          status,
          createdAt: at(Math.floor(index / 4)),
          ...timesOf(status, at(Math.floor(index / 4))),
          ...(index % 4 < 2 && { reference: index % 4 === 0 ? 'R-1' : 'r-1' }),
          ...(index % 6 < 2 && { note: 'From the garden' }),
        }),
      );
    }
    for (const petId of [1, 2, 3]) {
      await storage.database.write(BY_TEST, ({ orders }) =>
        orders.create({ petId, status: 'placed', createdAt: at(6), expiresAt: at(7) }),
      );
    }
  });
  afterAll(() => storage.remove());

  for (const { name, declared, samples, list } of LISTS) {
    const names = Object.keys(declared);
    const sampleOf = (filter: string) => (samples as unknown as Record<string, Sample>)[filter];
    const read = (filters: object, sort: Sort = 'id') =>
      list(storage.database.read, { filters, sort });

    test.each(names)(`filters ${name} by %s`, async (filter) => {
      const { values = [], matches } = sampleOf(filter) ?? {};
      const all: unknown[] = await read({});
      for (const value of values) {
        const expected = all.filter((item) => matches?.(item, value));
        expect(expected.length).toBeWithin(1, all.length);
        expect(await read({ [filter]: value })).toEqual(expected as never[]);
        expect(await read({ [filter]: value }, '-id')).toEqual(expected.toReversed() as never[]);
      }
    });

    // Those of orders share no statement.
    if (name !== 'animals') continue;
    test.each(names)(
      `keeps simultaneous lists of ${name} apart that differ in %s only`,
      async (filter) => {
        const filterSets = names.flatMap((other) => {
          const [same] = sampleOf(other)?.values ?? [];
          const rest = other === filter ? {} : { [other]: same };
          return [undefined, ...(sampleOf(filter)?.values ?? [])].map((value) => ({
            ...rest,
            [filter]: value,
          }));
        });
        const sequential: unknown[] = [];
        for (const filters of filterSets) sequential.push(await read(filters));
        const simultaneous: unknown[] = await Promise.all(
          filterSets.map((filters) => read(filters)),
        );
        expect(simultaneous).toEqual(sequential);
        expect(new Set(sequential.map((page) => JSON.stringify(page))).size).toBeGreaterThan(1);
      },
    );
  }
});
