/** An animal that matches the filters while a client follows the pages is returned exactly once, in both orders. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SORTS } from '../../../src/http/contract/list-query.ts';
import { PET_STATUSES, type Pet } from '../../../src/pets/pet.ts';
import { sequencesFor } from '../../support/engines.ts';
import { type TestService, useService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';

/** Repeat a failed run with WALK_SEED=<the seed that was printed>. */
const seed = Number(process.env['WALK_SEED'] ?? crypto.getRandomValues(new Int32Array(1))[0]);

const fields = { status: fc.constantFrom(...PET_STATUSES), categoryId: fc.constantFrom(1, 2) };
const anyAnimal = fc.record(fields);
const anyFilters = fc.record(fields, { requiredKeys: [] });
const anyKind = fc.constantFrom('add', 'remove', 'change');
/** `pick` chooses one of the animals. */
const anyChange = fc.record({ kind: anyKind, animal: anyAnimal, pick: fc.nat(1_000) });
const anyWalk = fc.record({
  sort: fc.constantFrom(undefined, ...SORTS),
  filters: anyFilters,
  limit: fc.integer({ min: 1, max: 8 }),
  before: fc.array(anyAnimal, { minLength: 5, maxLength: 40, size: 'max' }),
  /** The changes after each page. */
  between: fc.array(fc.array(anyChange, { maxLength: 4 }), { maxLength: 12, size: 'max' }),
});
type Walk = typeof anyWalk extends fc.Arbitrary<infer Value> ? Value : never;
type Change = Walk['between'][number][number];

/** The catalogue of a service, changed over HTTP. */
class Catalogue {
  readonly pets = new Map<number, Pet>();

  constructor(readonly service: TestService) {}

  async send(method: string, path: string, body?: object): Promise<Pet> {
    const response = await this.service.request(method, `/v1${path}`, body && { body });
    expect(response.status).toBeLessThan(300);
    return response.json as Pet;
  }

  async add(animal: Change['animal']): Promise<void> {
    const pet = await this.send('POST', '/pets', { name: 'Rex', ...animal });
    this.pets.set(Number(pet.id), pet);
  }

  async change({ kind, animal, pick }: Change): Promise<void> {
    const id = [...this.pets.keys()][pick % this.pets.size];
    if (kind === 'add' || id === undefined) return this.add(animal);
    if (kind === 'change') this.pets.set(id, await this.send('PATCH', `/pets/${id}`, animal));
    else {
      await this.send('DELETE', `/pets/${id}`);
      this.pets.delete(id);
    }
  }

  async clear(): Promise<void> {
    for (const id of this.pets.keys()) await this.send('DELETE', `/pets/${id}`);
    this.pets.clear();
  }

  matching({ status, categoryId }: Walk['filters']): Set<number> {
    const found = [...this.pets].filter(
      ([, pet]) =>
        (status === undefined || pet.status === status) &&
        (categoryId === undefined || pet.categoryId === categoryId),
    );
    return new Set(found.map(([id]) => id));
  }
}

/** Follows the pages, and changes the catalogue after each one. */
async function walk(catalogue: Catalogue, { sort, filters, limit, between }: Walk): Promise<void> {
  const parameters = Object.entries({ limit, sort, ...filters }).filter(([, value]) => value);
  let path: string | undefined = `/v1/pets?${parameters.map((pair) => pair.join('=')).join('&')}`;
  let always = catalogue.matching(filters);
  const returned: number[] = [];
  for (let page = 0; path !== undefined; page += 1) {
    const { json, next }: TestResponse = await catalogue.service.request('GET', path);
    const ids = (json as Pet[]).map(({ id }) => Number(id));
    const matching = catalogue.matching(filters);
    for (const id of ids) expect(matching).toContain(id);
    returned.push(...ids);
    path = next;
    if (path === undefined) break;
    expect(page).toBeLessThan(1_000);
    expect(ids).toHaveLength(limit);
    for (const change of between[page] ?? []) await catalogue.change(change);
    always = always.intersection(catalogue.matching(filters));
  }
  const inOrder = [...new Set(returned)].sort((a, b) => (sort === '-id' ? b - a : a - b));
  expect(returned).toEqual(inOrder);
  for (const id of always) expect(returned).toContain(id);
}

const service = useService();

test(`walks return what matches during all of them once (seed ${seed})`, async () => {
  const catalogue = new Catalogue(service);
  const property = fc.asyncProperty(anyWalk, async (random) => {
    await catalogue.clear();
    for (const animal of random.before) await catalogue.add(animal);
    await walk(catalogue, random);
  });
  await fc.assert(property, { numRuns: sequencesFor(8, 3), seed });
});
