/** The record of a request that adds many animals keeps their ids, not the response. */
import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { encrypt } from '../../../src/encryption.ts';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { idsOf, keepIds } from '../../../src/idempotency/kept-ids.ts';
import { INT64_MAX, type Int64 } from '../../../src/int64.ts';
import type { Pet } from '../../../src/pets/pet.ts';
import { anyInt64, int64 } from '../../support/arbitraries.ts';
import { countPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    status: 'sold',
    name: `Zoë "${index}"`,
    colour: 'red',
    categoryId: index % 2 === 0 ? index : 2n ** 63n - 1n,
  }));
const add = (key: string, pets: readonly object[]) =>
  service.request('POST', '/v1/pet-batches', {
    body: renderExactJson({ pets }),
    headers: { 'Idempotency-Key': key, 'Content-Type': 'application/json' },
  });
const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

const scopeOf = (idempotencyKey: string, path = '/v1/pet-batches') => ({
  keyId: 1,
  operation: `POST ${path}`,
  idempotencyKey,
});
const recordOf = (key: string) =>
  service.database.write(BY_TEST, ({ idempotencyRecords }) =>
    idempotencyRecords.find(scopeOf(key)),
  );

test('a retry gets the first response byte for byte, even if the animals were changed and removed', async () => {
  const first = await add('k', many(1_000));
  expect([first.status, isReplay(first)]).toEqual([201, null]);
  const [one, two] = first.json as Pet[];
  await service.request('PATCH', `/v1/pets/${one?.id}`, { body: { name: 'Max', status: null } });
  await service.request('DELETE', `/v1/pets/${two?.id}`);
  const count = await countPets(service.database);
  const again = await add('k', many(1_000));
  expect([again.status, isReplay(again), again.text]).toEqual([201, 'true', first.text]);
  expect(await countPets(service.database)).toBe(count);
});

test('the record of 1,000 animals is small', async () => {
  await add('small', many(1_000));
  expect((await recordOf('small'))?.response.length).toBeLessThan(150);
});

test('a record of an earlier version, which has the text of the body, can be read', async () => {
  const [body, scope] = ['{"name":"Rex","categoryId":1}', scopeOf('old', '/v1/pets')];
  const text = '{"id":77,"name":"Rex","categoryId":1}';
  const headers = { Location: 'https://store.test/v1/pets/77' };
  const sha256 = (data: string) => createHash('sha256').update(data).digest();
  const key = sha256(`${service.key}\n${scope.operation}\n${scope.idempotencyKey}`);
  const saved = Buffer.from(JSON.stringify({ status: 201, headers, text }));
  const record = {
    fingerprint: sha256(body),
    response: encrypt(saved, key),
    savedAt: service.clock.now(),
  };
  await service.database.write(BY_TEST, ({ idempotencyRecords }) =>
    idempotencyRecords.save(scope, record),
  );
  const response = await service.request('POST', '/v1/pets', {
    body,
    headers: { 'Idempotency-Key': 'old', 'Content-Type': 'application/json' },
  });
  expect([response.status, response.text, isReplay(response)]).toEqual([201, text, 'true']);
  expect(response.headers.get('location')).toBe(headers.Location);
});

test('any ids can be kept, consecutive ones as the first and their number', () => {
  const anyIds = fc.oneof(
    fc.array(anyInt64, { maxLength: 20 }),
    fc
      .tuple(
        fc.oneof(
          fc.bigInt({ min: 0n, max: 9n }),
          fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }),
          fc.constant(INT64_MAX - 99n),
        ),
        fc.integer({ min: 1, max: 100 }),
      )
      .map(([first, count]): Int64[] =>
        Array.from({ length: count }, (_, index) => int64(first + BigInt(index))),
      ),
  );
  fc.assert(
    fc.property(anyIds, (ids) => {
      const kept = keepIds(ids);
      expect(idsOf(kept)).toEqual(ids);
      const isConsecutive = ids.every(
        (id, index) => index === 0 || BigInt(id) === BigInt(ids[index - 1] ?? 0) + 1n,
      );
      expect('first' in kept).toBe(isConsecutive && ids.length > 0);
    }),
  );
});
