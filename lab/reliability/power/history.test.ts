import { expect, test } from 'bun:test';
import { History, textOf } from './history.ts';

/** A history of an animal that is added, renamed and removed, and of another one. */
function history(): History {
  const told = new History();
  told.add('request-1', 'pets/1', { id: 1, name: 'Rex' });
  told.add('request-2', 'pets/1', { id: 1, name: 'Max' });
  told.add('request-3', 'pets/1', null);
  told.add('request-4', 'pets/2', { id: 2, name: 'Tom' });
  return told;
}

const faultsOf = (stored: Record<string, Record<string, unknown>>, acknowledged: number) =>
  history().faults(
    new Map(Object.entries(stored).map(([subject, state]) => [subject, textOf(state)])),
    (requestId) => Number(requestId.slice('request-'.length)) <= acknowledged,
  );

test('a resource may have its last acknowledged state or a later one', () => {
  for (const pet of [
    { 'pets/1': { name: 'Rex', id: 1 } },
    { 'pets/1': { id: 1, name: 'Max' } },
    {},
  ])
    expect(faultsOf(pet, 1)).toEqual([]);
  expect(faultsOf({ 'pets/1': { id: 1, name: 'Max' } }, 2)).toEqual([]);
});

test('a resource may be missing if its addition was not acknowledged', () => {
  expect(faultsOf({}, 0)).toEqual([]);
  expect(faultsOf({}, 3)).toEqual([]);
  expect(faultsOf({}, 4)).toEqual([
    'pets/2 is missing, acknowledged was [["id",2],["name","Tom"]]',
  ]);
});

test('a resource must not have a state before the last acknowledged one', () => {
  const old = '[["id",1],["name","Rex"]]';
  const last = '[["id",1],["name","Max"]]';
  const stored = { 'pets/1': { id: 1, name: 'Rex' } };
  expect(faultsOf(stored, 2)).toEqual([`pets/1 is ${old}, acknowledged was ${last}`]);
  expect(faultsOf(stored, 3)).toEqual([`pets/1 is ${old}, acknowledged was null`]);
});

test('a resource that nobody sent must not exist', () => {
  expect(faultsOf({ 'pets/3': { id: 3 } }, 0)).toEqual(['pets/3 is there, and nobody sent it']);
});
