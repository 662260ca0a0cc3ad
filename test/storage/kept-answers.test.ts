import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import type { KeptAnswer, RetryScope } from '../../src/idempotency/kept-answer-store.ts';
import { chain } from '../../src/maybe-promise.ts';
import { countPets } from '../support/catalogue.ts';
import { ENGINES, type TestStorage } from '../support/engines.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

const kept = (text: string, keptAt = NOON): KeptAnswer => ({
  fingerprint: hashKey(text),
  answer: new TextEncoder().encode(text),
  keptAt,
});

describe.each(ENGINES)('$name keeps answers', ({ open }) => {
  let storage: TestStorage;
  let scope: RetryScope;
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

  const find = (of: RetryScope) =>
    storage.database.write(({ keptAnswers }) => keptAnswers.find(of));
  const keep = (of: RetryScope, answer: KeptAnswer) =>
    storage.database.write(({ keptAnswers }) => keptAnswers.keep(of, answer));
  const forget = (of: RetryScope) =>
    storage.database.write(({ keptAnswers }) => keptAnswers.forget(of));
  const forgetBefore = (time: number, count = 100) =>
    storage.database.write(({ keptAnswers }) => keptAnswers.forgetBefore(time, count));

  /** What is found, with its bytes as arrays: an engine may return any kind of bytes. */
  async function found(of: RetryScope) {
    const answer = await find(of);
    return (
      answer && { ...answer, fingerprint: [...answer.fingerprint], answer: [...answer.answer] }
    );
  }
  const asFound = ({ fingerprint, answer, keptAt }: KeptAnswer) => ({
    fingerprint: [...fingerprint],
    answer: [...answer],
    keptAt,
  });

  test('what was kept comes back byte for byte, also after reopening', async () => {
    const every = { ...kept('x'), answer: Uint8Array.from({ length: 256 }, (_, byte) => byte) };
    await keep(scope, every);
    expect(await found(scope)).toEqual(asFound(every));
    await storage.reopen();
    expect(await found(scope)).toEqual(asFound(every));
  });

  test('an answer as large as answers get comes back whole', async () => {
    const large = kept('🐕'.repeat(300_000));
    await keep(scope, large);
    expect(Buffer.from((await find(scope))?.answer ?? []).equals(large.answer)).toBe(true);
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
    expect(await found(scope)).toEqual(asFound(won[0] as KeptAnswer));
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
      storage.database.write(({ keptAnswers }) =>
        chain(keptAnswers.forget(scope), () =>
          chain(keptAnswers.keep(scope, kept('second')), () => {
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
    await forgetBefore(NOON);
    const left = await Promise.all(ages.map(async (one) => (await find(one)) !== undefined));
    expect(left).toEqual([false, true, true]);
  });

  test('no more are forgotten at once than asked for, and it is told how many', async () => {
    for (const name of ['a', 'b', 'c'])
      await keep({ ...scope, idempotencyKey: name }, kept('x', 0));
    const counts = [await forgetBefore(1, 2), await forgetBefore(1, 2), await forgetBefore(1, 2)];
    expect(counts).toEqual([2, 1, 0]);
  });

  test('is kept with what its transaction made, or neither is', async () => {
    const make = (fails: boolean) =>
      storage.database.write(({ pets, keptAnswers }) =>
        chain(pets.create({ name: 'Rex', categoryId: 1 }), () =>
          chain(keptAnswers.keep(scope, kept('x')), () => {
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
