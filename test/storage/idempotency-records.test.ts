import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import type {
  IdempotencyRecord,
  IdempotencyScope,
} from '../../src/idempotency/idempotency-record-store.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { newKey } from './new-key.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

const recordOf = (text: string, savedAt = NOON): IdempotencyRecord => ({
  fingerprint: hashKey(text),
  response: new TextEncoder().encode(text),
  savedAt,
});

describe.each(ENGINES)('idempotency records in $name', ({ open }) => {
  let storage: TestStorage;
  let scope: IdempotencyScope;
  let otherKeyId: number;

  const addKey = (name: string) =>
    storage.database.write(BY_TEST, ({ apiKeys }) => apiKeys.create(newKey(name)));
  beforeEach(async () => {
    storage = await open();
    const { id: keyId } = await addKey('till');
    otherKeyId = (await addKey('web shop')).id;
    scope = { keyId, operation: 'POST /v1/pets', idempotencyKey: 'one' };
  });
  afterEach(() => storage.remove());

  const find = (of: IdempotencyScope) =>
    storage.database.write(BY_TEST, ({ idempotencyRecords }) => idempotencyRecords.find(of));
  const save = (of: IdempotencyScope, record: IdempotencyRecord) =>
    storage.database.write(BY_TEST, ({ idempotencyRecords }) =>
      idempotencyRecords.save(of, record),
    );
  const remove = (of: IdempotencyScope) =>
    storage.database.write(BY_TEST, ({ idempotencyRecords }) => idempotencyRecords.delete(of));
  const deleteBefore = (time: number, count = 100) =>
    storage.database.write(BY_TEST, ({ idempotencyRecords }) =>
      idempotencyRecords.deleteBefore(time, count),
    );

  /** The found record with bytes as arrays because the engines return different types of bytes. */
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

  test('are read back byte for byte, also after reopening', async () => {
    const every = {
      ...recordOf('x'),
      response: Uint8Array.from({ length: 256 }, (_, byte) => byte),
    };
    await save(scope, every);
    expect(await found(scope)).toEqual(asFound(every));
    await storage.reopen();
    expect(await found(scope)).toEqual(asFound(every));
  });

  test('can have a response of 1.2 MB', async () => {
    const large = recordOf('🐕'.repeat(300_000));
    await save(scope, large);
    expect(Buffer.from((await find(scope))?.response ?? []).equals(large.response)).toBe(true);
  });

  test('are saved once by 20 simultaneous callers', async () => {
    const records = Array.from({ length: 20 }, (_, index) => recordOf(`response ${index}`));
    const settled = await Promise.allSettled(records.map((record) => save(scope, record)));
    const saved = records.filter((_, index) => settled[index]?.status === 'fulfilled');
    expect(saved).toHaveLength(1);
    expect(await found(scope)).toEqual(asFound(saved[0] as IdempotencyRecord));
  });

  test('are deleted one by one, and can be saved again', async () => {
    const others = [
      { ...scope, keyId: otherKeyId },
      { ...scope, operation: 'POST /v1/store/orders' },
      { ...scope, idempotencyKey: 'two' },
    ];
    for (const one of [scope, ...others]) await save(one, recordOf('first'));
    for (const _ of ['stored', 'deleted']) await remove(scope);
    expect(await find(scope)).toBeUndefined();
    await save(scope, recordOf('second', NOON + 1));
    expect(await found(scope)).toEqual(asFound(recordOf('second', NOON + 1)));
    for (const one of others) expect(await found(one)).toEqual(asFound(recordOf('first')));
  });

  test('are deleted up to a given number, which is returned', async () => {
    for (const name of ['a', 'b', 'c'])
      await save({ ...scope, idempotencyKey: name }, recordOf('x', 0));
    const counts = [await deleteBefore(0, 2), await deleteBefore(1, 2), await deleteBefore(1, 2)];
    expect(counts).toEqual([0, 2, 1]);
  });
});
