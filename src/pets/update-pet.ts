import { type KnownCategoryRule, unknownCategory } from '../categories/known-category.ts';
import type { Clock } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import { idParameter, refuseOtherId } from '../http/contract/fields.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import { Pet, PetPatch, patched } from './pet.ts';
import type { PetReservations } from './pet-reservations.ts';
import type { PetStore } from './pet-store.ts';

export const updatePet = operation({
  id: 'updatePet',
  method: 'patch',
  path: '/pets/{petId}',
  tag: 'Pets',
  summary: 'Change an animal',
  description:
    'Changes the fields in the body and leaves the others (RFC 7396). Every change of the status ' +
    'is allowed, unless an open order holds the animal.',
  scope: 'pets:write',
  stability: 'beta',
  params: {
    schema: idParameter('petId', 'Identifier of the animal to change.'),
    notFound: 'pet_not_found',
  },
  body: {
    schema: PetPatch,
    isMergePatch: true,
    examples: { sold: { status: 'sold' }, withoutStatus: { status: null } },
  },
  responses: {
    200: {
      description: 'The updated animal.',
      schema: Pet,
      example: { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
    },
  },
  errors: [
    'read_only_field',
    'validation_failed',
    'pet_not_found',
    'precondition_failed',
    'precondition_required',
    'pet_reserved',
  ],
});

interface Deps extends KnownCategoryRule {
  readonly pets: PetStore;
  readonly orders: PetReservations;
  readonly clock: Clock;
}

export const handleUpdatePet: Handler<typeof updatePet, Deps> = function* (
  { pets, orders, clock, ...rule },
  { params: { petId }, body: patch, precondition },
) {
  const otherId = refuseOtherId(patch.id, petId);
  if (otherId) return otherId;
  const unknown = yield* unknownCategory(rule, patch.categoryId);
  if (unknown) return unknown;
  yield* wait(orders.expire(clock.now(), { petId }));
  const pet = yield* wait(pets.get(petId));
  if (pet === undefined) return refuse('pet_not_found');
  const refusal = precondition(pet);
  if (refusal) return refusal;
  const changed = patched(pet, patch);
  const isStatusChange = changed.status !== pet.status;
  if (isStatusChange && (yield* wait(orders.isReserved(petId)))) return refuse('pet_reserved');
  yield* wait(pets.replace(changed));
  return { status: 200, body: changed };
};
