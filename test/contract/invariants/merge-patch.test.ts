/** A merge patch changes any animal as RFC 7396 defines it. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import type { Pet } from '../../../src/pets/pet.ts';
import { anyInt64, anyName, anyNewPet, anyStatus } from '../../support/arbitraries.ts';
import { useService } from '../../support/service.ts';

const service = useService();

/** MergePatch of RFC 7396 §2. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null removes an optional field. A missing field does not compile. */
const patchFields: Readonly<Record<Exclude<keyof Pet, 'id'>, fc.Arbitrary<unknown>>> = {
  name: anyName,
  categoryId: anyInt64,
  status: fc.option(anyStatus),
};

const anyPatch = fc.record(
  { ...patchFields, colour: fc.jsonValue({ maxDepth: 2 }) },
  { requiredKeys: [] },
);

test('updatePet agrees with the algorithm of RFC 7396 for any animal and patch', async () => {
  await fc.assert(
    fc.asyncProperty(anyNewPet, anyPatch, async (newPet, patch) => {
      const pet = await service.addPet(newPet);
      const { colour: _unknown, ...expected } = mergePatch(pet, patch) as Record<string, unknown>;
      const response = await service.request('PATCH', `/v1/pets/${pet.id}`, {
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: renderExactJson(patch),
      });
      expect(response.json).toEqual(expected);
      expect((await service.request('GET', `/v1/pets/${pet.id}`)).text).toBe(response.text);
    }),
    { numRuns: 40 },
  );
});
