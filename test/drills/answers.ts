import { isDeepStrictEqual } from 'node:util';
import type { Int64 } from '../../src/int64.ts';
import type { Pet } from '../../src/pets/pet.ts';
import { bearer } from '../support/process.ts';

const CATEGORIES = 40;

/** Animals that nobody changes during a drill, with the ids from 1. */
export const CATALOGUE: readonly Pet[] = Array.from({ length: 2_000 }, (_, index) => ({
  id: index + 1,
  name: `animal ${index + 1}`,
  categoryId: (index * 7) % CATEGORIES,
  status: (['available', 'pending', 'sold'] as const)[index % 3] ?? 'sold',
}));

/** Where the animals go that are added during a drill: no list that is checked shows them. */
const OTHER_CATEGORY = 1_000_000;

const PAGE = 30;

interface Asked {
  /** The addresses of several instances on one database. */
  readonly origins: readonly string[];
  /** A key with all scopes. */
  readonly key: string;
  /** A key that may read and not write. */
  readonly readingKey: string;
}

interface Expected {
  readonly status: number;
  /** What the body must be, or hold, once it is parsed; undefined: anything. */
  readonly body?: unknown;
}

/** Asks many things at the same time, and holds each answer against what it must be. */
export class Checks {
  checked = 0;
  readonly wrong: string[] = [];
  readonly #ids = new Set<Int64>();

  constructor(readonly asked: Asked) {}

  /** Many clients, until so many answers have been checked. */
  async run(answers: number, clients: number): Promise<void> {
    let turn = 0;
    const client = async (): Promise<void> => {
      while (this.checked < answers) {
        turn += 1;
        await this.#take(turn);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  /** The kinds of questions in turn, about one animal after another in no simple order. */
  #take(turn: number): Promise<unknown> {
    const pet = animal(turn * 1_009);
    const { id, categoryId, status } = pet;
    const kinds = [
      () => this.#expect(turn, `GET /pets/${id}`, { status: 200, body: pet }),
      () => this.#expect(turn, `GET /pets?id=${id}`, { status: 200, body: [pet] }),
      () => this.#several(turn),
      () =>
        this.#list(turn, `categoryId=${categoryId}`, (other) => other.categoryId === categoryId),
      () =>
        this.#list(
          turn,
          `categoryId=${categoryId}&status=${status}`,
          (other) => other.categoryId === categoryId && other.status === status,
        ),
      () => this.#expect(turn, `GET /pets/${9_000_000_000 + turn}`, { status: 404 }),
      () => this.#add(turn),
      () => this.#unknownKey(turn),
      () => this.#readingKey(turn),
      () => (turn % 90 === 8 ? this.#newKey(turn) : this.#change(turn)),
    ];
    const ask = kinds[turn % kinds.length];
    return ask === undefined ? Promise.resolve() : ask();
  }

  #several(turn: number): Promise<unknown> {
    const pets = [animal(turn), animal(turn + 1), animal(turn + 2)].sort(
      (a, b) => Number(a.id) - Number(b.id),
    );
    const query = pets.map(({ id }) => `id=${id}`).join('&');
    return this.#expect(turn, `GET /pets?${query}`, { status: 200, body: pets });
  }

  #list(turn: number, query: string, isIn: (pet: Pet) => boolean): Promise<unknown> {
    const body = CATALOGUE.filter(isIn).slice(0, PAGE);
    return this.#expect(turn, `GET /pets?${query}&limit=${PAGE}`, { status: 200, body });
  }

  /** Adds an animal, whose id nobody else is told, and reads it through another instance. */
  async #add(turn: number): Promise<Pet | undefined> {
    const pet = { name: `new animal ${turn}`, categoryId: OTHER_CATEGORY + turn };
    const added = await this.#expect<Pet>(turn, 'POST /pets', { status: 201 }, { body: pet });
    if (added === undefined) return undefined;
    const { id, ...rest } = added;
    if (!isDeepStrictEqual(rest, pet) || this.#ids.has(id)) this.#tell('POST /pets', added);
    this.#ids.add(id);
    await this.#expect(turn + 1, `GET /pets/${id}`, { status: 200, body: added });
    return added;
  }

  /** Changes an animal, which looks at it first in the same transaction. */
  async #change(turn: number): Promise<void> {
    const pet = await this.#add(turn);
    if (pet === undefined) return;
    const changed = { ...pet, name: `changed animal ${turn}` };
    const body = { name: changed.name };
    const path = `PATCH /pets/${pet.id}`;
    await this.#expect(turn, path, { status: 200, body: changed }, { body });
    await this.#expect(turn + 1, `GET /pets/${pet.id}`, { status: 200, body: changed });
  }

  #unknownKey(turn: number): Promise<unknown> {
    const key = `${this.asked.key.slice(0, -6)}000000`;
    return this.#expect(turn, 'GET /pets/1', { status: 401 }, { key });
  }

  async #readingKey(turn: number): Promise<void> {
    const key = this.asked.readingKey;
    const pet = animal(turn);
    await this.#expect(turn, `GET /pets/${pet.id}`, { status: 200, body: pet }, { key });
    const body = { name: 'refused', categoryId: 1 };
    await this.#expect(turn, 'POST /pets', { status: 403 }, { key, body });
  }

  /** Makes a key and uses it through another instance. */
  async #newKey(turn: number): Promise<void> {
    const body = { name: `key ${turn}`, scopes: ['pets:read'] };
    const made = await this.#expect<{ key: string }>(
      turn,
      'POST /api-keys',
      { status: 201 },
      { body },
    );
    if (made === undefined) return;
    const pet = animal(turn);
    const expected = { status: 200, body: pet };
    await this.#expect(turn + 1, `GET /pets/${pet.id}`, expected, { key: made.key });
  }

  /** Sends a request to one of the instances. Resolves with what it answered, undefined where that is wrong. */
  async #expect<T>(
    turn: number,
    request: string,
    expected: Expected,
    { key = this.asked.key, body }: { key?: string; body?: unknown } = {},
  ): Promise<T | undefined> {
    const { origins } = this.asked;
    const [method = '', path] = request.split(' ');
    const answer = await fetch(`${origins[turn % origins.length]}/v1${path}`, {
      method,
      headers: {
        ...bearer(key).headers,
        'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const got = await answer.json();
    this.checked += 1;
    const isRight =
      answer.status === expected.status &&
      (expected.body === undefined || isDeepStrictEqual(got, expected.body));
    if (isRight) return got as T;
    this.#tell(`${request} ${answer.status}`, got);
    return undefined;
  }

  #tell(what: string, got: unknown): void {
    this.wrong.push(`${what} ${JSON.stringify(got)}`.slice(0, 300));
  }
}

function animal(number: number): Pet {
  const pet = CATALOGUE[number % CATALOGUE.length];
  if (pet === undefined) throw new Error('The catalogue is empty.');
  return pet;
}
