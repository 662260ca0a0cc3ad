/** Delete: an animal is removed once and for all, unless an open order holds it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { NewPet } from '../../src/pets/pet.ts';
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

const REX: NewPet = { name: 'Rex', categoryId: 1, status: 'available' };

const remove = (id: unknown, headers: Record<string, string> = {}, at = service) =>
  at.request('DELETE', `/v1/pets/${id}`, { headers });
const get = (id: unknown, at = service) => at.request('GET', `/v1/pets/${id}`);
const codeOf = ({ json }: TestAnswer) => (json as { code: string }).code;
const etagOf = ({ headers }: TestAnswer) => headers.get('etag') ?? 'none';

const place = async (petId: unknown, at = service) =>
  (await at.request('POST', '/v1/store/orders', { body: { petId } })).json as { id: number };
const advance = (orderId: number, status: string) =>
  service.request('PATCH', `/v1/store/orders/${orderId}`, { body: { status } });

describe('DELETE /pets/{petId}', () => {
  test('is 204 without content, and the animal is found no more', async () => {
    const { id } = await service.addPet(REX);
    const answer = await remove(id);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.headers.get('content-type')).toBeNull();
    expect(answer.headers.get('etag')).toBeNull();
    expect((await get(id)).status).toBe(404);
    expect((await service.request('GET', `/v1/pets?id=${id}`)).json).toEqual([]);
  });

  test('again is 404, also for a change', async () => {
    const { id } = await service.addPet(REX);
    await remove(id);
    expect((await remove(id)).json).toMatchObject({ code: 'pet_not_found', status: 404 });
    const change = await service.request('PATCH', `/v1/pets/${id}`, { body: { name: 'Max' } });
    expect(codeOf(change)).toBe('pet_not_found');
  });

  test.each(['999999', 'abc', '01', '-1', '9223372036854775808'])(
    'petId %s names no animal: 404 pet_not_found',
    async (id) => {
      expect((await remove(id)).json).toMatchObject({ code: 'pet_not_found', status: 404 });
    },
  );

  test('leaves the other animals as they are', async () => {
    const [one, two] = [await service.addPet(REX), await service.addPet(REX)];
    const { text } = await get(two.id);
    await remove(one.id);
    expect((await get(two.id)).text).toBe(text);
  });

  test('never gives an id free: not the last, and not when the catalogue is empty', async () => {
    const fresh = await startService();
    const ids: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { json } = await fresh.request('POST', '/v1/pets', { body: REX });
      const { id } = json as { id: number };
      ids.push(id);
      expect((await remove(id, {}, fresh)).status).toBe(204);
    }
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect((await fresh.request('GET', '/v1/pets')).json).toEqual([]);
    await fresh.close();
  });

  test('names an animal beyond 2^53 exactly', async () => {
    const fresh = await startService();
    const ids = [9007199254740992n, 9007199254740993n];
    await importPets(
      fresh.database,
      ids.map((id) => ({ id, ...REX })),
    );
    expect((await remove('9007199254740993', {}, fresh)).status).toBe(204);
    expect((await fresh.request('GET', '/v1/pets')).json).toEqual([
      { id: 9007199254740992n, ...REX },
    ]);
    await fresh.close();
  });

  test('by several at once succeeds for exactly one', async () => {
    const { id } = await service.addPet(REX);
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(id)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(7);
  });
});

describe('If-Match', () => {
  test('that names the ETag, alone or in a list, or is *, lets the removal go on', async () => {
    for (const header of [(tag: string) => tag, (tag: string) => `"a", ${tag}`, () => '*'])
      for (const at of [service, strict]) {
        const { id } = await at.addPet(REX);
        const headers = { 'If-Match': header(etagOf(await get(id, at))) };
        expect((await remove(id, headers, at)).status).toBe(204);
      }
  });

  test('of another ETag, a weak one or one that was, is 412, and the animal stays', async () => {
    const { id } = await service.addPet(REX);
    const before = etagOf(await get(id));
    await service.request('PATCH', `/v1/pets/${id}`, { body: { name: 'Max' } });
    const { text, headers } = await get(id);
    for (const tag of ['"other"', before, `W/${headers.get('etag')}`]) {
      const answer = await remove(id, { 'If-Match': tag });
      expect(answer.json).toMatchObject({ code: 'precondition_failed', status: 412 });
    }
    expect((await get(id)).text).toBe(text);
  });

  test('absent under REQUIRE_IF_MATCH=on is 428, and the animal stays', async () => {
    const { id } = await strict.addPet(REX);
    expect((await remove(id, {}, strict)).json).toMatchObject({
      code: 'precondition_required',
      status: 428,
    });
    expect((await get(id, strict)).status).toBe(200);
  });
});

describe('an order', () => {
  test('that is open holds the animal: 409 pet_reserved, and it stays', async () => {
    const { id } = await service.addPet(REX);
    const order = await place(id);
    expect((await remove(id)).json).toMatchObject({ code: 'pet_reserved', status: 409 });
    await advance(order.id, 'approved');
    expect(codeOf(await remove(id))).toBe('pet_reserved');
    expect((await get(id)).json).toEqual({ ...REX, id, status: 'pending' });
  });

  test.each([[['cancelled']], [['approved', 'delivered']], [['approved', 'cancelled']]])(
    'that went %j holds it no more',
    async (statuses) => {
      const { id } = await service.addPet(REX);
      const order = await place(id);
      for (const status of statuses) await advance(order.id, status);
      expect((await remove(id)).status).toBe(204);
      const { json } = await service.request('GET', `/v1/store/orders/${order.id}`);
      expect(json).toMatchObject({ petId: id, status: statuses.at(-1) });
    },
  );

  test('that expired holds it no more, from that very moment', async () => {
    const { id } = await service.addPet(REX);
    await place(id);
    service.clock.advance(30 * 60_000 - 1);
    expect(codeOf(await remove(id))).toBe('pet_reserved');
    service.clock.advance(1);
    expect((await remove(id)).status).toBe(204);
  });
});

test('checks credential, scope, existence, precondition and conflict in this order', async () => {
  const { id } = await strict.addPet(REX);
  await place(id, strict);
  const { secret: key } = await strict.issueKey(['pets:read']);
  const ask = (path: string, options: object) =>
    strict.request('DELETE', `/v1/pets/${path}`, options);
  const wrongTag = { headers: { 'If-Match': '"other"' } };
  expect(codeOf(await ask('999999', { key: null, ...wrongTag }))).toBe('credential_missing');
  expect(codeOf(await ask('999999', { key, ...wrongTag }))).toBe('scope_missing');
  expect(codeOf(await ask('999999', wrongTag))).toBe('pet_not_found');
  expect(codeOf(await ask('999999', {}))).toBe('pet_not_found');
  expect(codeOf(await ask(`${id}`, wrongTag))).toBe('precondition_failed');
  expect(codeOf(await ask(`${id}`, {}))).toBe('precondition_required');
  expect(codeOf(await remove(id, { 'If-Match': '*' }, strict))).toBe('pet_reserved');
});
