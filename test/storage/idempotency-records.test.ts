import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import type {
  IdempotencyRecord,
  IdempotencyScope,
} from '../../src/idempotency/idempotency-record-store.ts';
import { chain } from '../../src/maybe-promise.ts';
import { countPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

const kept = (text: string, savedAt = NOON): IdempotencyRecord => ({
  fingerprint: hashKey(text),
  response: new TextEncoder().encode(text),
  savedAt,
});

describe.each(ENGINES)('$name keeps answers', ({ open }) => {
  let storage: TestStorage;
  let scope: IdempotencyScope;
  let otherKeyId: number;

  const addKey = (name: string) =>
    storage.database.write(({ apiKeys }) =>
      apiKeys.create({
        name,
        hash: hashKey(name),
        hint: name,
        scopes: [],
        createdAt: NOON,
        expiresAt: null,
      }),
    );
  beforeEach(async () => {
    storage = await open();
    const { id: keyId } = await addKey('till');
    otherKeyId = (await addKey('web shop')).id;
    scope = { keyId, operation: 'POST /v1/pets', idempotencyKey: 'one' };
  });
  afterEach(() => storage.remove());

  const find = (of: IdempotencyScope) =>
    storage.database.write(({ idempotencyRecords }) => idempotencyRecords.find(of));
  const keep = (of: IdempotencyScope, record: IdempotencyRecord) =>
    storage.database.write(({ idempotencyRecords }) => idempotencyRecords.save(of, record));
  const forget = (of: IdempotencyScope) =>
    storage.database.write(({ idempotencyRecords }) => idempotencyRecords.delete(of));
  const deleteBefore = (time: number, count = 100) =>
    storage.database.write(({ idempotencyRecords }) =>
      idempotencyRecords.deleteBefore(time, count),
    );

  /** What is found, with its bytes as arrays: an engine may return any kind of bytes. */
  async function found(of: IdempotencyScope) {
    const record = await find(of);
    return (
      record && { ...record, fingerprint: [...record.fingerprint], response: [...record.response] }
    );
  }
  const asFound = ({ fingerprint, response, savedAt }: IdempotencyRecord) => ({
    fingerprint: [...fingerprint],
    response: [...response],
    savedAt,
  });

  test('what was kept comes back byte for byte, also after reopening', async () => {
    const every = { ...kept('x'), response: Uint8Array.from({ length: 256 }, (_, byte) => byte) };
    await keep(scope, every);
    expect(await found(scope)).toEqual(asFound(every));
    await storage.reopen();
    expect(await found(scope)).toEqual(asFound(every));
  });

  test('an answer as large as answers get comes back whole', async () => {
    const large = kept('🐕'.repeat(300_000));
    await keep(scope, large);
    expect(Buffer.from((await find(scope))?.response ?? []).equals(large.response)).toBe(true);
  });

  test('belongs to one API key, one operation and one Idempotency-Key', async () => {
    const scopes = [
      scope,
      { ...scope, keyId: otherKeyId },
      { ...scope, operation: 'POST /v1/store/orders' },
      { ...scope, idempotencyKey: 'ONE' },
    ];
    for (const [index, one] of scopes.entries()) {
      expect(await find(one)).toBeUndefined();
      await keep(one, kept(`answer ${index}`));
    }
    for (const [index, one] of scopes.entries())
      expect(await found(one)).toEqual(asFound(kept(`answer ${index}`)));
  });

  test('a later answer is refused where one is kept, and the first one stays', async () => {
    await keep(scope, kept('first'));
    await expect(keep(scope, kept('second', NOON + 1))).rejects.toThrow();
    expect(await found(scope)).toEqual(asFound(kept('first')));
  });

  test('of 20 answers that are kept at the same moment, one is', async () => {
    const answers = Array.from({ length: 20 }, (_, index) => kept(`answer ${index}`));
    const settled = await Promise.allSettled(answers.map((answer) => keep(scope, answer)));
    const won = answers.filter((_, index) => settled[index]?.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(await found(scope)).toEqual(asFound(won[0] as IdempotencyRecord));
  });

  test('an answer that was forgotten makes room for another, and no other is forgotten', async () => {
    const others = [
      { ...scope, keyId: otherKeyId },
      { ...scope, operation: 'POST /v1/store/orders' },
      { ...scope, idempotencyKey: 'two' },
    ];
    for (const one of [scope, ...others]) await keep(one, kept('first'));
    await forget(scope);
    expect(await find(scope)).toBeUndefined();
    await keep(scope, kept('second', NOON + 1));
    expect(await found(scope)).toEqual(asFound(kept('second', NOON + 1)));
    for (const one of others) expect(await found(one)).toEqual(asFound(kept('first')));
  });

  test('forgetting where nothing is kept does nothing', async () => {
    await forget(scope);
    expect(await find(scope)).toBeUndefined();
  });

  test('forgetting one and keeping another in one transaction replaces it, or does neither', async () => {
    await keep(scope, kept('first'));
    const replace = (fails: boolean) =>
      storage.database.write(({ idempotencyRecords }) =>
        chain(idempotencyRecords.delete(scope), () =>
          chain(idempotencyRecords.save(scope, kept('second')), () => {
            if (fails) throw new Error('no');
          }),
        ),
      );
    await expect(replace(true)).rejects.toThrow('no');
    expect(await found(scope)).toEqual(asFound(kept('first')));
    await replace(false);
    expect(await found(scope)).toEqual(asFound(kept('second')));
  });

  test('what was kept before a time is forgotten, and nothing else', async () => {
    const ages = [-1, 0, 1].map((ms) => ({ ...scope, idempotencyKey: `kept at ${ms}` }));
    for (const [index, one] of ages.entries()) await keep(one, kept('x', NOON + index - 1));
    await deleteBefore(NOON);
    const left = await Promise.all(ages.map(async (one) => (await find(one)) !== undefined));
    expect(left).toEqual([false, true, true]);
  });

  test('no more are forgotten at once than asked for, and it is told how many', async () => {
    for (const name of ['a', 'b', 'c'])
      await keep({ ...scope, idempotencyKey: name }, kept('x', 0));
    const counts = [await deleteBefore(1, 2), await deleteBefore(1, 2), await deleteBefore(1, 2)];
    expect(counts).toEqual([2, 1, 0]);
  });

  test('is kept with what its transaction made, or neither is', async () => {
    const make = (fails: boolean) =>
      storage.database.write(({ pets, idempotencyRecords }) =>
        chain(pets.create({ name: 'Rex', categoryId: 1 }), () =>
          chain(idempotencyRecords.save(scope, kept('x')), () => {
            if (fails) throw new Error('no');
          }),
        ),
      );
    await expect(make(true)).rejects.toThrow('no');
    expect([await find(scope), await countPets(storage.database)]).toEqual([undefined, 0]);
    await make(false);
    expect([await found(scope), await countPets(storage.database)]).toEqual([
      asFound(kept('x')),
      1,
    ]);
  });
});
