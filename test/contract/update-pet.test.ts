/** Update and concurrency: PATCH changes exactly what the body names, and If-Match guards it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderExactJson } from '../../src/http/request/exact-json.ts';
import { type NewPet, PET_STATUSES } from '../../src/pets/pet.ts';
import { anyInt64, anyName, anyNewPet, anyStatus } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { startService, type TestService } from '../support/service.ts';
import type { TestAnswer } from '../support/test-answer.ts';

let service: TestService;
let strict: TestService;
beforeAll(async () => {
  service = await startService();
  strict = await startService({ rules: { requireIfMatch: true } });
});
afterAll(() => Promise.all([service.close(), strict.close()]));

const MERGE_PATCH = 'application/merge-patch+json';
const REX: NewPet = { name: 'Rex', categoryId: 1, status: 'available' };

const patch = (id: unknown, body: unknown, headers: Record<string, string> = {}, at = service) =>
  at.request('PATCH', `/v1/pets/${id}`, {
    body: typeof body === 'string' ? body : renderExactJson(body),
    headers: { 'Content-Type': MERGE_PATCH, ...headers },
  });
const get = (id: unknown, at = service) => at.request('GET', `/v1/pets/${id}`);
const codeOf = ({ json }: TestAnswer) => (json as { code: string }).code;
const etagOf = ({ headers }: TestAnswer) => headers.get('etag') ?? 'none';

describe('a merge patch (RFC 7396)', () => {
  test.each([
    ['name', { name: 'Max' }, { ...REX, name: 'Max' }],
    ['categoryId', { categoryId: -7 }, { ...REX, categoryId: -7 }],
    ['status', { status: 'sold' }, { ...REX, status: 'sold' }],
    ['all of them', { name: 'Mia', categoryId: 2, status: 'pending' }, undefined],
    ['none of them', {}, REX],
  ])('that names %s changes it and leaves the others', async (_what, body, expected) => {
    const { id } = await service.addPet(REX);
    const answer = await patch(id, body);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ id, ...(expected ?? body) });
    expect((await get(id)).text).toBe(answer.text);
  });

  const types = [MERGE_PATCH, 'Application/Merge-Patch+JSON; charset=utf-8', 'application/json'];

  test.each([...types, undefined])('is read the same with Content-Type %s', async (type) => {
    const { id } = await service.addPet(REX);
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const ask = { headers, body: '{"status":null}' };
    const { json } = await service.request('PATCH', `/v1/pets/${id}`, ask);
    expect(json).toEqual({ id, name: 'Rex', categoryId: 1 });
  });

  test.each(['text/plain', 'application/json-patch+json', 'application/merge-patch+jsonp'])(
    'as %s is 415 with Accept-Patch',
    async (type) => {
      const { id } = await service.addPet(REX);
      const answer = await patch(id, { name: 'Max' }, { 'Content-Type': type });
      expect(answer.json).toMatchObject({ code: 'unsupported_media_type', status: 415 });
      expect(answer.headers.get('accept-patch')).toBe(`${MERGE_PATCH}, application/json`);
    },
  );

  test('may repeat the id, and hold unknown fields, which are ignored and never stored', async () => {
    const { id } = await service.addPet(REX);
    expect((await patch(id, { id, colour: 'red', toString: null })).json).toEqual({ id, ...REX });
  });

  test('with Prefer: handling=strict an unknown field is 400, and the id is not', async () => {
    const { id } = await service.addPet(REX);
    const prefer = { Prefer: 'handling=strict' };
    const { json } = await patch(id, { name: 'Max', colour: 'red' }, prefer);
    expect(json).toMatchObject({ message: 'colour: is not a known field.' });
    expect((await get(id)).json).toEqual({ id, ...REX });
    expect((await patch(id, { id, name: 'Max' }, prefer)).status).toBe(200);
  });

  test('applied to any animal gives what the algorithm of RFC 7396 gives', async () => {
    const anyPatch = fc.record(
      {
        name: anyName,
        categoryId: anyInt64,
        status: fc.option(anyStatus),
        colour: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(anyNewPet, anyPatch, async (newPet, body) => {
        const pet = await service.addPet(newPet);
        const { colour: _unknown, ...expected } = mergePatch(pet, body) as Record<string, unknown>;
        const answer = await patch(pet.id, body);
        expect(answer.json).toEqual(expected);
        expect((await get(pet.id)).text).toBe(answer.text);
      }),
      { numRuns: 500 },
    );
  });
});

/** MergePatch as RFC 7396 §2 writes it. */
function mergePatch(target: unknown, change: unknown): unknown {
  if (!isObject(change)) return change;
  const result = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

describe('a status', () => {
  const every = [...PET_STATUSES, undefined];
  const pairs = every.flatMap((from) => every.map((to) => [from, to] as const));

  test.each(pairs)('may change from %s to %s', async (from, to) => {
    const { id } = await service.addPet({ name: 'Rex', categoryId: 1, status: from });
    const { json } = await patch(id, { status: to ?? null });
    expect(json).toStrictEqual({ id, name: 'Rex', categoryId: 1, ...(to && { status: to }) });
  });
});

describe('integers of 64 bits', () => {
  test('are exact: in the path, in the patch and in the answer', async () => {
    const other = await startService();
    const [neighbour, id] = [9007199254740992n, 9007199254740993n];
    await importPets(other.database, [
      { id: neighbour, ...REX },
      { id, ...REX },
    ]);
    const body = { id, categoryId: -9007199254740993n, status: null };
    const answer = await patch(id, body, {}, other);
    expect(answer.text).toBe(`{"id":${id},"name":"Rex","categoryId":-9007199254740993}`);
    expect((await get(id, other)).text).toBe(answer.text);
    expect(codeOf(await patch(id, `{"id":${neighbour}}`, {}, other))).toBe('read_only_field');
    expect((await get(neighbour, other)).json).toEqual({ id: neighbour, ...REX });
    await other.close();
  });
});

describe('a refusal changes nothing', () => {
  test.each([
    ['name is null', '{"status":"sold","name":null}', 400, 'validation_failed'],
    ['name is empty', '{"status":"sold","name":""}', 400, 'validation_failed'],
    ['categoryId is null', '{"status":"sold","categoryId":null}', 400, 'validation_failed'],
    ['categoryId is beyond int64', '{"categoryId":9223372036854775808}', 400, 'validation_failed'],
    ['status is unknown', '{"name":"Max","status":"lost"}', 400, 'validation_failed'],
    ['the id differs', '{"name":"Max","id":987654321}', 400, 'read_only_field'],
    ['the id is no integer', '{"name":"Max","id":"1"}', 400, 'validation_failed'],
    ['the body is no object', '["name"]', 400, 'invalid_json'],
  ])('%s: %s is %d %s', async (_what, body, status, code) => {
    const { id } = await service.addPet(REX);
    expect((await patch(id, body)).json).toMatchObject({ code, status });
    expect((await get(id)).json).toEqual({ id, ...REX });
  });

  test.each(['999999', 'abc', '01', '0', '9223372036854775808'])(
    'petId %s names no animal: 404 pet_not_found',
    async (id) => {
      expect(codeOf(await patch(id, { name: 'Max' }))).toBe('pet_not_found');
    },
  );
});

describe('If-Match', () => {
  test('absent lets the change go on, and the answer carries the new strong ETag', async () => {
    const { id } = await service.addPet(REX);
    const answer = await patch(id, { name: 'Max' });
    expect(etagOf(answer)).toMatch(/^"[^"]+"$/);
    expect(etagOf(answer)).toBe(etagOf(await get(id)));
  });

  test('that names the ETag, alone or in a list, or is *, lets the change go on', async () => {
    for (const header of [(tag: string) => tag, (tag: string) => `"a" , ${tag}, W/"b"`, () => '*'])
      for (const at of [service, strict]) {
        const { id } = await at.addPet(REX);
        const headers = { 'If-Match': header(etagOf(await get(id, at))) };
        expect((await patch(id, { name: 'Max' }, headers, at)).status).toBe(200);
      }
  });

  test('of another ETag, a weak one or none at all is 412, and nothing is changed', async () => {
    for (const at of [service, strict]) {
      const { id } = await at.addPet(REX);
      const tag = etagOf(await get(id, at));
      for (const header of ['"other"', `W/${tag}`, `"a", W/${tag}`, tag.slice(1, -1), '']) {
        const { json } = await patch(id, { name: 'Max' }, { 'If-Match': header }, at);
        expect(json).toMatchObject({ code: 'precondition_failed', status: 412 });
      }
      expect((await get(id, at)).json).toEqual({ id, ...REX });
    }
  });

  test('lets one of two changes that began from the same animal win', async () => {
    const { id } = await service.addPet(REX);
    const headers = { 'If-Match': etagOf(await get(id)) };
    const names = ['Max', 'Mia', 'Tom', 'Kim'];
    const answers = await Promise.all(names.map((name) => patch(id, { name }, headers)));
    const [won, ...lost] = answers.toSorted((a, b) => a.status - b.status);
    expect(lost.map(({ status }) => status)).toEqual([412, 412, 412]);
    expect((await get(id)).text).toBe(won?.text ?? '');
  });

  test('absent under REQUIRE_IF_MATCH=on is 428, and nothing is changed', async () => {
    const { id } = await strict.addPet(REX);
    const { json } = await patch(id, { name: 'Max' }, {}, strict);
    expect(json).toMatchObject({ code: 'precondition_required', status: 428 });
    expect((await get(id, strict)).json).toEqual({ id, ...REX });
  });
});

describe('the order of checks', () => {
  const wrongTag = { 'If-Match': '"other"' };

  test('credential, then scope, then media type, then syntax, then validity', async () => {
    const { secret: reader } = await service.issueKey(['pets:read']);
    const ask = (key: string | null, type = 'text/plain') => {
      const headers = { 'Content-Type': type };
      return service.request('PATCH', '/v1/pets/999999', { key, headers, body: 'not json' });
    };
    expect(codeOf(await ask(null))).toBe('credential_missing');
    expect(codeOf(await ask(reader))).toBe('scope_missing');
    expect(codeOf(await ask(service.key))).toBe('unsupported_media_type');
    expect(codeOf(await ask(service.key, MERGE_PATCH))).toBe('invalid_json');
  });

  test('validity before existence, existence before precondition', async () => {
    for (const headers of [{}, wrongTag]) {
      expect(codeOf(await patch(999_999, { name: '' }, headers, strict))).toBe('validation_failed');
      expect(codeOf(await patch(999_999, { id: 5 }, headers, strict))).toBe('read_only_field');
      expect(codeOf(await patch(999_999, { name: 'Max' }, headers, strict))).toBe('pet_not_found');
    }
  });

  test('validity before precondition, precondition before conflict', async () => {
    const { id: petId } = await strict.addPet(REX);
    await strict.request('POST', '/v1/store/orders', { body: { petId } });
    const current = { 'If-Match': etagOf(await get(petId, strict)) };
    const ask = (status: string, headers = {}) => patch(petId, { status }, headers, strict);
    expect(codeOf(await ask('lost', wrongTag))).toBe('validation_failed');
    expect(codeOf(await ask('sold', wrongTag))).toBe('precondition_failed');
    expect(codeOf(await ask('sold'))).toBe('precondition_required');
    expect(codeOf(await ask('sold', current))).toBe('pet_reserved');
    expect((await ask('pending', current)).status).toBe(200);
  });
});
