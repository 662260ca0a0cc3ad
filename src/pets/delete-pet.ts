import type { Clock } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import { idParameter } from '../http/contract/fields.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import type { PetReservations } from './pet-reservations.ts';
import type { PetStore } from './pet-store.ts';

export const deletePet = operation({
  id: 'deletePet',
  method: 'delete',
  path: '/pets/{petId}',
  tag: 'Pets',
  summary: 'Remove an animal',
  description: 'Removes an animal, unless an open order holds it. Its id is never assigned again.',
  scope: 'pets:write',
  stability: 'beta',
  params: {
    schema: idParameter('petId', 'Identifier of the animal to remove.'),
    notFound: 'pet_not_found',
  },
  responses: { 204: { description: 'The animal was removed.' } },
  errors: ['pet_not_found', 'precondition_failed', 'precondition_required', 'pet_reserved'],
});

interface Deps {
  readonly pets: PetStore;
  readonly orders: PetReservations;
  readonly clock: Clock;
}

export const handleDeletePet: Handler<typeof deletePet, Deps> = function* (
  { pets, orders, clock },
  { params: { petId }, precondition },
) {
  yield* wait(orders.expire(clock.now(), { petId }));
  const pet = yield* wait(pets.get(petId));
  if (pet === undefined) return refuse('pet_not_found');
  const refusal = precondition(pet);
  if (refusal) return refusal;
  if (yield* wait(orders.isReserved(petId))) return refuse('pet_reserved');
  yield* wait(pets.remove(petId));
  return { status: 204 };
};
