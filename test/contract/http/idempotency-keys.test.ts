/** The values that Idempotency-Key may have, and the methods that ignore it. */
import { describe, expect, test } from 'bun:test';
import { EVERY } from '../../support/list-query.ts';
import { useService } from '../../support/service.ts';
import { listen } from '../../support/socket.ts';

const service = useService();

const REX = { name: 'Rex', categoryId: 1 };

const send = (idempotencyKey: string, to = service) =>
  to.request('POST', '/v1/pets', { body: REX, headers: { 'Idempotency-Key': idempotencyKey } });
const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');
const countPets = async ({ database } = service) =>
  (await database.read.pets.list(EVERY, 0, 10_000)).length;

describe('an Idempotency-Key', () => {
  test.each([
    ['of one character', 'x'],
    ['of 255 characters', 'x'.repeat(255)],
    ['of 255 characters in quotes', `"${'x'.repeat(255)}"`],
    ['with a space in quotes', '"a b"'],
    ['of any printable ASCII', "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"],
  ])('%s is accepted', async (_what, key) => {
    expect((await send(key)).status).toBe(201);
    expect(isReplay(await send(key))).toBe('true');
  });

  test.each([
    ['that is empty', ''],
    ['that is empty in quotes', '""'],
    ['of 256 characters', 'x'.repeat(256)],
    ['of 256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['with a space but no quotes', 'a b'],
    ['with a control character', 'a\u0001b'],
    ['with a tab in quotes', '"a\tb"'],
    ['beyond ASCII', 'é'],
    ['with one quote', '"abc'],
    ['with a quote within quotes', '"a"b"'],
  ])('%s is 400 invalid_idempotency_key, and nothing is stored', async (_what, key) => {
    const before = await countPets();
    expect((await send(key)).json).toMatchObject({ code: 'invalid_idempotency_key', status: 400 });
    expect(await countPets()).toBe(before);
  });

  test.each([
    ['a', 'b'],
    ['"a"', '"a"'],
  ])('sent twice (%s, %s) is 400 invalid_idempotency_key', async (...keys) => {
    await using socket = await listen();
    const body = JSON.stringify(REX);
    const response = await socket.request(
      'POST /v1/pets HTTP/1.1',
      ...['Host: x', socket.authorization],
      ...keys.map((key) => `Idempotency-Key: ${key}`),
      ...[`Content-Length: ${body.length}`, '', body],
    );
    expect(response).toContain('"invalid_idempotency_key"');
  });

  test('is ignored by GET and PATCH, valid or not', async () => {
    const { id } = await service.addPet(REX);
    for (const key of ['k', 'not valid']) {
      const headers = { 'Idempotency-Key': key };
      for (const name of ['Max', 'Mia']) {
        const path = `/v1/pets/${id}`;
        const changed = await service.request('PATCH', path, { headers, body: { name } });
        expect([changed.status, isReplay(changed)]).toEqual([200, null]);
        const fetched = await service.request('GET', path, { headers });
        expect([fetched.json, isReplay(fetched)]).toEqual([changed.json, null]);
      }
    }
  });
});
