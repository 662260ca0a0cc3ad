import { type KnownCategoryRule, unknownCategory } from '../categories/known-category.ts';
import type { Clock } from '../clock.ts';
import { refuse } from '../http/errors.ts';
import { idParameter } from '../http/fields.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import type { OrderStore } from '../orders/order-store.ts';
import { Pet, PetPatch, patched } from './pet.ts';
import type { PetStore } from './pet-store.ts';

export const updatePet = operation({
  id: 'updatePet',
  method: 'patch',
  path: '/pets/{petId}',
  tag: 'Pets',
  summary: 'Change an animal',
  description:
    'Changes the fields that the body names and leaves the others (RFC 7396). Any status may ' +
    'follow any other, unless an open order holds the animal.',
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
  answers: {
    200: {
      description: 'The animal as it is now.',
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
  readonly orders: OrderStore;
  readonly clock: Clock;
}

export const handleUpdatePet =
  ({ pets, orders, clock, ...rule }: Deps): Handler<typeof updatePet> =>
  ({ params: { petId }, body: patch, precondition }) => {
    if (patch.id !== undefined && patch.id !== petId) {
      return refuse('read_only_field', 'id: cannot be changed.');
    }
    const change = () =>
      chain(pets.get(petId), (pet) => {
        if (pet === undefined) return refuse('pet_not_found');
        const refusal = precondition(pet);
        if (refusal) return refusal;
        const changed = patched(pet, patch);
        const held = changed.status !== pet.status && orders.holds(petId);
        return chain(held, (isHeld) =>
          isHeld
            ? refuse('pet_reserved')
            : chain(pets.replace(changed), () => ({ status: 200 as const, body: changed })),
        );
      });
    return chain(
      unknownCategory(rule, patch.categoryId),
      (unknown) => unknown ?? chain(orders.expire(clock.now()), change),
    );
  };
