import fc from 'fast-check';
import { SORTS } from '../../../src/http/contract/list-query.ts';
import type { OrderStatus } from '../../../src/orders/order-states.ts';
import { PET_STATUSES, type Pet } from '../../../src/pets/pet.ts';
import { anyInt64, anyName, anyNewPet } from '../../support/arbitraries.ts';
import { ORDER_STATUSES } from '../order-requests.ts';
import type { Expected, Model } from './model.ts';

/** A request with the response of the model. */
export interface RequestStep {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly expect: (model: Model) => Expected;
}

// Few ids, so that steps use the same resources, and some unknown ones.
const anyId = fc.integer({ min: 0, max: 9 });
const anyLimit = fc.integer({ min: 1, max: 12 });
const anySort = fc.constantFrom(undefined, ...SORTS);
const anyCategoryId = fc.oneof(fc.integer({ min: -1, max: 3 }), anyInt64);
const anyPetStatus = fc.option(fc.constantFrom(...PET_STATUSES), { nil: undefined });
const anyPet = fc.oneof(
  anyNewPet,
  fc.record({
    name: anyName,
    categoryId: anyCategoryId,
    status: fc.constant('available' as const),
  }),
);
/** Few animals, sometimes none, sometimes with an invalid one. */
const anyBatch = fc.oneof(
  { weight: 4, arbitrary: fc.array(anyPet, { maxLength: 4 }) },
  fc.tuple(anyPet, anyPet).map(([valid, other]) => [valid, { ...other, name: '' }]),
);
const anyPatch = fc.record(
  {
    id: anyId,
    name: anyName,
    categoryId: anyCategoryId,
    status: fc.constantFrom(...PET_STATUSES, null),
  },
  { requiredKeys: [] },
);

/** Few references, so that several orders have the same one. */
const anyOrderTexts = { reference: fc.constantFrom('a', 'b'), note: fc.constantFrom('a\nb', '"') };
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

const step = <Args extends object>(
  args: fc.Arbitrary<Args>,
  create: (args: Args) => RequestStep,
): fc.Arbitrary<RequestStep> => args.map(create);

const pets: fc.Arbitrary<RequestStep>[] = [
  step(anyPet, (body) => ({
    method: 'POST',
    path: '/pets',
    body,
    expect: (model) => model.createPet(body),
  })),
  step(fc.record({ pets: anyBatch }), (body) => ({
    method: 'POST',
    path: '/pet-batches',
    body,
    expect: (model) => model.batchCreatePets(body.pets),
  })),
  step(fc.record({ id: anyId }), ({ id }) => ({
    method: 'GET',
    path: `/pets/${id}`,
    expect: (model) => model.getPet(id),
  })),
  step(
    fc.record({
      limit: anyLimit,
      sort: anySort,
      status: anyPetStatus,
      categoryId: fc.option(anyCategoryId, { nil: undefined }),
    }),
    ({ limit, sort, status, categoryId }) => ({
      method: 'GET',
      path: `/pets?${query({ limit, sort, status, categoryId })}`,
      expect: (model) =>
        model.listPets(
          { limit, sort },
          (pet: Pet) =>
            (status === undefined || pet.status === status) &&
            (categoryId === undefined || pet.categoryId === categoryId),
        ),
    }),
  ),
  step(fc.record({ id: anyId, patch: anyPatch }), ({ id, patch }) => ({
    method: 'PATCH',
    path: `/pets/${id}`,
    body: patch,
    expect: (model) => model.updatePet(id, patch),
  })),
  step(fc.record({ id: anyId }), ({ id }) => ({
    method: 'DELETE',
    path: `/pets/${id}`,
    expect: (model) => model.deletePet(id),
  })),
];

const categories: fc.Arbitrary<RequestStep>[] = [
  step(fc.record({ id: anyCategoryId, name: anyName }), ({ id, name }) => ({
    method: 'PUT',
    path: `/categories/${id}`,
    body: { name },
    expect: (model) => model.putCategory(id, name),
  })),
  step(fc.record({ id: anyCategoryId }), ({ id }) => ({
    method: 'GET',
    path: `/categories/${id}`,
    expect: (model) => model.getCategory(id),
  })),
  step(fc.record({ limit: anyLimit, sort: anySort }), (page) => ({
    method: 'GET',
    path: `/categories?${query(page)}`,
    expect: (model) => model.listCategories(page),
  })),
  step(fc.record({ id: anyCategoryId }), ({ id }) => ({
    method: 'DELETE',
    path: `/categories/${id}`,
    expect: (model) => model.deleteCategory(id),
  })),
];

const orders: fc.Arbitrary<RequestStep>[] = [
  step(anyNewOrder, (body) => ({
    method: 'POST',
    path: '/store/orders',
    body,
    expect: (model) => model.placeOrder(body),
  })),
  step(fc.record({ id: anyId, patch: anyOrderPatch }), ({ id, patch }) => ({
    method: 'PATCH',
    path: `/store/orders/${id}`,
    body: patch,
    expect: (model) => model.updateOrder(id, patch),
  })),
  step(fc.record({ id: anyId }), ({ id }) => ({
    method: 'GET',
    path: `/store/orders/${id}`,
    expect: (model) => model.getOrder(id),
  })),
  step(
    fc.record({
      limit: anyLimit,
      sort: anySort,
      status: fc.option(
        fc.array(fc.constantFrom(...ORDER_STATUSES), { minLength: 1, maxLength: 3 }),
        {
          nil: undefined,
        },
      ),
      reference: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    }),
    ({ limit, sort, status, reference }) => ({
      method: 'GET',
      path: `/store/orders?${query({ limit, sort, reference })}${(status ?? []).map((one) => `&status=${one}`).join('')}`,
      expect: (model) =>
        model.listOrders(
          { limit, sort },
          (order) =>
            (status === undefined || status.includes(order.status)) &&
            (reference === undefined || order.reference === reference),
        ),
    }),
  ),
  step(fc.record({ categoryId: fc.option(anyCategoryId, { nil: undefined }) }), (parameters) => ({
    method: 'GET',
    path: `/store/inventory?${query(parameters)}`,
    expect: (model) => model.inventory(parameters.categoryId),
  })),
];

/** Any request for animals, categories or orders. */
export const anyRequestStep: fc.Arbitrary<RequestStep> = fc.oneof(
  ...pets,
  ...categories,
  ...orders,
);
