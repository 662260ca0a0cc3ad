import { isDeepStrictEqual } from 'node:util';
import type { Int64 } from '../../src/int64.ts';
import type { Pet } from '../../src/pets/pet.ts';
import { bearer } from '../../test/support/process.ts';

const CATEGORIES = 40;

/** Animals that do not change during a drill. Their ids start with 1. */
export const CATALOGUE: readonly Pet[] = Array.from({ length: 2_000 }, (_, index) => ({
  id: index + 1,
  name: `animal ${index + 1}`,
  categoryId: (index * 7) % CATEGORIES,
  status: (['available', 'pending', 'sold'] as const)[index % 3] ?? 'sold',
}));

/** Categories from here on have the animals that a drill adds. No checked list contains them. */
const OTHER_CATEGORY = 1_000_000;

const PAGE = 30;

interface Target {
  /** The origins of several instances with one database. */
  readonly origins: readonly string[];
  /** A key with all scopes. */
  readonly key: string;
  /** A key that can read and not write. */
  readonly readingKey: string;
}

interface Expected {
  readonly status: number;
  /** The parsed body. Undefined allows any. */
  readonly body?: unknown;
}

/** Sends many requests simultaneously, and checks each response. */
export class Checks {
  checked = 0;
  readonly wrong: string[] = [];
  readonly #ids = new Set<Int64>();

  constructor(readonly target: Target) {}

  /** Runs clients until this number of responses is checked. */
  async run(responses: number, clients: number): Promise<void> {
    let turn = 0;
    const client = async (): Promise<void> => {
      while (this.checked < responses) {
        turn += 1;
        await this.#take(turn);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  /** Sends each kind of request in turn, for one animal after another. */
  #take(turn: number): Promise<unknown> {
    const pet = petOf(turn * 1_009);
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
      // The statement of the inventory has no parameter.
      () => this.#expect(turn, 'GET /store/inventory', { status: 200 }),
      () => this.#unknownKey(turn),
      () => this.#readingKey(turn),
      () => (turn % 99 === 9 ? this.#newKey(turn) : this.#change(turn)),
    ];
    const send = kinds[turn % kinds.length];
    return send === undefined ? Promise.resolve() : send();
  }

  #several(turn: number): Promise<unknown> {
    const pets = [petOf(turn), petOf(turn + 1), petOf(turn + 2)].sort(
      (a, b) => Number(a.id) - Number(b.id),
    );
    const query = pets.map(({ id }) => `id=${id}`).join('&');
    return this.#expect(turn, `GET /pets?${query}`, { status: 200, body: pets });
  }

  #list(turn: number, query: string, isIn: (pet: Pet) => boolean): Promise<unknown> {
    const body = CATALOGUE.filter(isIn).slice(0, PAGE);
    return this.#expect(turn, `GET /pets?${query}&limit=${PAGE}`, { status: 200, body });
  }

  /** Adds an animal, checks that its id is new, and reads it from another instance. */
  async #add(turn: number): Promise<Pet | undefined> {
    const pet = { name: `new animal ${turn}`, categoryId: OTHER_CATEGORY + turn };
    const added = await this.#expect<Pet>(turn, 'POST /pets', { status: 201 }, { body: pet });
    if (added === undefined) return undefined;
    const { id, ...rest } = added;
    if (!isDeepStrictEqual(rest, pet) || this.#ids.has(id)) this.#report('POST /pets', added);
    this.#ids.add(id);
    await this.#expect(turn + 1, `GET /pets/${id}`, { status: 200, body: added });
    return added;
  }

  /** Changes an animal, which the service reads first in the same transaction. */
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
    const key = `${this.target.key.slice(0, -6)}000000`;
    return this.#expect(turn, 'GET /pets/1', { status: 401 }, { key });
  }

  async #readingKey(turn: number): Promise<void> {
    const key = this.target.readingKey;
    const pet = petOf(turn);
    await this.#expect(turn, `GET /pets/${pet.id}`, { status: 200, body: pet }, { key });
    const body = { name: 'refused', categoryId: 1 };
    await this.#expect(turn, 'POST /pets', { status: 403 }, { key, body });
  }

  /** Creates a key and uses it with another instance. */
  async #newKey(turn: number): Promise<void> {
    const body = { name: `key ${turn}`, scopes: ['pets:read'] };
    const created = await this.#expect<{ key: string }>(
      turn,
      'POST /api-keys',
      { status: 201 },
      { body },
    );
    if (created === undefined) return;
    const pet = petOf(turn);
    const expected = { status: 200, body: pet };
    await this.#expect(turn + 1, `GET /pets/${pet.id}`, expected, { key: created.key });
  }

  /** Sends a request to one of the instances. @returns the body, undefined if the response is wrong */
  async #expect<T>(
    turn: number,
    request: string,
    expected: Expected,
    { key = this.target.key, body }: { key?: string; body?: unknown } = {},
  ): Promise<T | undefined> {
    const { origins } = this.target;
    const [method = '', path] = request.split(' ');
    const response = await fetch(`${origins[turn % origins.length]}/v1${path}`, {
      method,
      headers: {
        ...bearer(key).headers,
        'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const received = await response.json();
    this.checked += 1;
    const isCorrect =
      response.status === expected.status &&
      (expected.body === undefined || isDeepStrictEqual(received, expected.body));
    if (isCorrect) return received as T;
    this.#report(`${request} ${response.status}`, received);
    return undefined;
  }

  #report(request: string, received: unknown): void {
    this.wrong.push(`${request} ${JSON.stringify(received)}`.slice(0, 300));
  }
}

function petOf(turn: number): Pet {
  const pet = CATALOGUE[turn % CATALOGUE.length];
  if (pet === undefined) throw new Error('The catalogue is empty.');
  return pet;
}
