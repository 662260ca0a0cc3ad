import fc from 'fast-check';
import { SORTS } from '../../../src/http/contract/list-query.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/orders/order-states.ts';
import { PET_STATUSES, type Pet } from '../../../src/pets/pet.ts';
import { anyInt64, anyName, anyNewPet } from '../../support/arbitraries.ts';
import type { Expected, Model } from './model.ts';

export interface RequestStep {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly expect: (model: Model) => Expected;
}

export const request = (
  method: string,
  path: string,
  expect: RequestStep['expect'],
  body?: unknown,
): RequestStep => ({ method, path, expect, body });

// Few ids, so that steps use the same resources, and some unknown ones.
const anyId = fc.integer({ min: 0, max: 9 });
const anyLimit = fc.integer({ min: 1, max: 12 });
const anySort = fc.constantFrom(undefined, ...SORTS);
const anyCategoryId = fc.oneof(fc.integer({ min: -1, max: 3 }), anyInt64);
const orNone = <T>(any: fc.Arbitrary<T>) => fc.option(any, { nil: undefined });
const anyPetStatus = orNone(fc.constantFrom(...PET_STATUSES));
const anyFilter = orNone(anyCategoryId);
const available = fc.constant('available' as const);
const anyPet = fc.oneof(
  anyNewPet,
  fc.record({ name: anyName, categoryId: anyCategoryId, status: available }),
);
/** Few animals, sometimes none, sometimes with an invalid one. */
const anyBatch = fc.oneof(
  { weight: 4, arbitrary: fc.array(anyPet, { maxLength: 4 }) },
  fc.tuple(anyPet, anyPet).map(([valid, other]) => [valid, { ...other, name: '' }]),
);
const anyNewStatus = fc.constantFrom(...PET_STATUSES, null);
const anyPatch = fc.record(
  { id: anyId, name: anyName, categoryId: anyCategoryId, status: anyNewStatus },
  { requiredKeys: [] },
);

const anyStatuses = orNone(
  fc.array(fc.constantFrom(...ORDER_STATUSES), { minLength: 1, maxLength: 3 }),
);

/** Few references, so that several orders have the same one. */
const anyOrderTexts = { reference: fc.constantFrom('a', 'b'), note: fc.constantFrom('a\nb', '"') };
const anyReference = orNone(anyOrderTexts.reference);
const anyNewOrder = fc.record(
  {
    petId: anyId,
    status: fc.constantFrom('placed' as const, 'approved' as const, 'delivered' as const),
    ...anyOrderTexts,
  },
  { requiredKeys: ['petId'] },
);
const anyOrderPatch = fc.record(
  {
    status: fc.constantFrom<OrderStatus>(...ORDER_STATUSES),
    reference: fc.option(anyOrderTexts.reference),
    note: fc.option(anyOrderTexts.note),
  },
  { requiredKeys: [] },
);

const query = (parameters: Readonly<Record<string, unknown>>): string =>
  Object.entries(parameters)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`],
    )
    .join('&');

const pets: fc.Arbitrary<RequestStep>[] = [
  anyPet.map((pet) => request('POST', '/pets', (model) => model.createPet(pet), pet)),
  anyBatch.map((all) =>
    request('POST', '/pet-batches', (model) => model.batchCreatePets(all), { pets: all }),
  ),
  anyId.map((id) => request('GET', `/pets/${id}`, (model) => model.getPet(id))),
  fc
    .record({ limit: anyLimit, sort: anySort, status: anyPetStatus, categoryId: anyFilter })
    .map(({ limit, sort, status, categoryId }) =>
      request('GET', `/pets?${query({ limit, sort, status, categoryId })}`, (model) =>
        model.listPets(
          { limit, sort },
          (pet: Pet) =>
            (status === undefined || pet.status === status) &&
            (categoryId === undefined || pet.categoryId === categoryId),
        ),
      ),
    ),
  fc
    .tuple(anyId, anyPatch)
    .map(([id, patch]) =>
      request('PATCH', `/pets/${id}`, (model) => model.updatePet(id, patch), patch),
    ),
  anyId.map((id) => request('DELETE', `/pets/${id}`, (model) => model.deletePet(id))),
];

const categories: fc.Arbitrary<RequestStep>[] = [
  fc
    .tuple(anyCategoryId, anyName)
    .map(([id, name]) =>
      request('PUT', `/categories/${id}`, (model) => model.putCategory(id, name), { name }),
    ),
  anyCategoryId.map((id) => request('GET', `/categories/${id}`, (model) => model.getCategory(id))),
  fc
    .record({ limit: anyLimit, sort: anySort })
    .map((page) =>
      request('GET', `/categories?${query(page)}`, (model) => model.listCategories(page)),
    ),
  anyCategoryId.map((id) =>
    request('DELETE', `/categories/${id}`, (model) => model.deleteCategory(id)),
  ),
];

const orders: fc.Arbitrary<RequestStep>[] = [
  anyNewOrder.map((order) =>
    request('POST', '/store/orders', (model) => model.placeOrder(order), order),
  ),
  fc
    .tuple(anyId, anyOrderPatch)
    .map(([id, patch]) =>
      request('PATCH', `/store/orders/${id}`, (model) => model.updateOrder(id, patch), patch),
    ),
  anyId.map((id) => request('GET', `/store/orders/${id}`, (model) => model.getOrder(id))),
  fc
    .record({ limit: anyLimit, sort: anySort, status: anyStatuses, reference: anyReference })
    .map(({ limit, sort, status, reference }) =>
      request(
        'GET',
        `/store/orders?${query({ limit, sort, reference })}${(status ?? []).map((one) => `&status=${one}`).join('')}`,
        (model) =>
          model.listOrders(
            { limit, sort },
            (order) =>
              (status === undefined || status.includes(order.status)) &&
              (reference === undefined || order.reference === reference),
          ),
      ),
    ),
  anyFilter.map((categoryId) =>
    request('GET', `/store/inventory?${query({ categoryId })}`, (model) =>
      model.inventory(categoryId),
    ),
  ),
];

/** Any request for animals, categories or orders. */
export const anyRequestStep: fc.Arbitrary<RequestStep> = fc.oneof(
  ...pets,
  ...categories,
  ...orders,
);
