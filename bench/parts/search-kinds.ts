import { encodeCursor } from '../../src/http/contract/cursor.ts';
import { type Filters, queryParameters, queryText } from '../../src/http/contract/list-query.ts';
import { CATEGORIES, KINDS, nameOf } from '../rows.ts';

/** The animals of a category whose names have nothing in common with those of all others. */
export const OTHERS = { name: 'Otter', categoryId: CATEGORIES + 1 };

export interface SearchKind {
  readonly title: string;
  /**
   * The path of the search of a number, from 0. Different for each number, so that no cached response is sent. A search
   * of the whole catalogue begins after an id that grows slowly with the number.
   */
  readonly path: (number: number) => string;
}

/** The kinds of searches in a catalogue with this many animals. */
export function searchKinds(animals: number): SearchKind[] {
  const rowOf = (number: number): number => rowInLastNineTenths(number, animals);
  const pairs = rarePairs();
  // Some hundred numbers up to 10⁶ contain the same four digits.
  const digits = Math.max(3, Math.round(Math.log10(animals)) - 2);
  return [
    {
      title: 'frequent: every ninth name, from a random place',
      path: (number) => searchPath({ name: inTurn(KINDS, number) }, rowOf(number)),
    },
    {
      title: 'part of a number, in some hundred names',
      path(number) {
        const text = String((number * 7_919) % 10 ** digits).padStart(digits, '0');
        return searchPath({ name: text }, Math.floor(number / 10 ** digits));
      },
    },
    { title: 'one exact name', path: (number) => searchPath({ name: nameOf(rowOf(number)) }) },
    {
      title: 'in no name, all its trigrams in many',
      path: (number) => searchPath({ name: `${nameOf(rowOf(number))}${1_000 + (number % 9_000)}` }),
    },
    {
      title: 'frequent, in a category without a match',
      path(number) {
        const { categoryId } = OTHERS;
        const name = inTurn(KINDS, number);
        return searchPath({ categoryId, name }, Math.floor(number / KINDS.length));
      },
    },
    {
      title: 'two characters, in no name',
      path: (number) =>
        searchPath({ name: inTurn(pairs, number) }, Math.floor(number / pairs.length)),
    },
  ];
}

/** Not the first tenth: other names contain a name with a shorter number. */
function rowInLastNineTenths(number: number, animals: number): number {
  const share = (Math.imul(number, 2_654_435_761) >>> 0) / 2 ** 32;
  return Math.floor(animals * (0.1 + 0.9 * share));
}

/** @param filters in the order of their declaration, on which cursors depend. */
function searchPath(filters: Filters, afterId?: number): string {
  const query = { filters, sort: 'id' } as const;
  const path = `/v1/pets?limit=20&${queryParameters(query).replace(/&$/, '')}`;
  return afterId === undefined
    ? path
    : `${path}&cursor=${encodeCursor(afterId, `/pets${queryText(query)}`)}`;
}

const inTurn = (texts: readonly string[], number: number): string =>
  texts[number % texts.length] ?? '';

/** All pairs of letters that are in no name. `Bench` is the name of the animals that are added. */
function rarePairs(): string[] {
  const names = [...KINDS, OTHERS.name, 'Bench'].join(' ').toLowerCase();
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((pair) => !names.includes(pair));
}
