import type { Clock } from '../clock.ts';
import { refuse } from '../http/errors.ts';
import { idParameter } from '../http/fields.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import type { OrderStore } from '../orders/order-store.ts';
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
  answers: { 204: { description: 'The animal was removed.' } },
  errors: ['pet_not_found', 'precondition_failed', 'precondition_required', 'pet_reserved'],
});

interface Deps {
  readonly pets: PetStore;
  readonly orders: OrderStore;
  readonly clock: Clock;
}

export const handleDeletePet =
  ({ pets, orders, clock }: Deps): Handler<typeof deletePet> =>
  ({ params: { petId }, precondition }) =>
    chain(orders.expire(clock.now()), () =>
      chain(pets.get(petId), (pet) => {
        if (pet === undefined) return refuse('pet_not_found');
        const refusal = precondition(pet);
        if (refusal) return refusal;
        return chain(orders.holds(petId), (isHeld) =>
          isHeld ? refuse('pet_reserved') : chain(pets.remove(petId), () => ({ status: 204 })),
        );
      }),
    );
