import { expect, test } from 'bun:test';
import type { ReceivedEvent } from '../../test/support/event-requests.ts';
import { type Resource, Told } from './told.ts';

const REX = { id: 1, name: 'one 1-1', categoryId: 1 };
const ORDER = { id: 1, petId: 1, reference: '1-2' };

/** A client that added an animal, ordered it, and got no response to a batch. */
function told(): Told {
  const all = new Told();
  all.confirm({ touches: [], adds: ['one 1-1', 1] });
  all.state('pets/1', REX);
  all.confirm({ touches: ['pets/1'] });
  all.state('orders/1', ORDER);
  all.doubt({ touches: [], adds: ['many 1-3', 2] });
  return all;
}

const event = (position: number, subject: string, data: object, more = {}): ReceivedEvent => ({
  ...{ id: `0-${position}`, timestamp: '', actor: {}, subject, data: { ...data } },
  type: subject.startsWith('pets') ? 'pet.created' : 'order.placed',
  ...more,
});
const EVENTS = [event(1, 'pets/1', REX), event(2, 'orders/1', { id: 1, petId: 1 })];
const STORED: Readonly<Record<string, Resource>> = { 'pets/1': REX, 'orders/1': ORDER };

const contradictions = (stored: Readonly<Record<string, Resource>>, events: ReceivedEvent[]) =>
  told().contradictions(new Map(Object.entries(stored)), events);

const batchOf = (count: number) => {
  const pets = Array.from({ length: count }, (_, index) => ({ id: index + 5, name: 'many 1-3' }));
  return {
    stored: { ...STORED, ...Object.fromEntries(pets.map((pet) => [`pets/${pet.id}`, pet])) },
    events: [...EVENTS, ...pets.map((pet) => event(pet.id, `pets/${pet.id}`, pet))],
  };
};

test.each([0, 2])(
  'nothing contradicts the responses if %d animals of the batch are there',
  (count) => {
    const { stored, events } = batchOf(count);
    expect(contradictions(stored, events)).toEqual([]);
  },
);

test.each([
  ['an animal is lost', { 'orders/1': ORDER }, EVENTS],
  ['a change is lost', { ...STORED, 'pets/1': { ...REX, categoryId: 2 } }, EVENTS],
  ['an event is lost', STORED, EVENTS.slice(0, 1)],
  ['an event is of another state', STORED, [...EVENTS, event(3, 'pets/1', { ...REX, id: 2 })]],
  [
    'an event is between',
    STORED,
    [...EVENTS, event(3, 'pets/1', REX, { type: 'pet.updated', previous: { categoryId: 7 } })],
  ],
  [
    'an order is there twice',
    { ...STORED, 'orders/2': { ...ORDER, id: 2 } },
    [...EVENTS, event(3, 'orders/2', { id: 2, petId: 1 })],
  ],
  ['a batch is half there', batchOf(1).stored, batchOf(1).events],
  ['a batch is there twice', batchOf(4).stored, batchOf(4).events],
  [
    'an animal was never sent',
    { ...STORED, 'pets/9': { ...REX, id: 9, name: 'x' } },
    [...EVENTS, event(3, 'pets/9', { ...REX, id: 9, name: 'x' })],
  ],
])('it is found that %s', (_what, stored, events) => {
  expect(contradictions(stored as Record<string, Resource>, events)).not.toEqual([]);
});
