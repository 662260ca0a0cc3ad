import { beforeEach, describe, expect, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import type { IdempotencyRecordStore } from '../../src/idempotency/idempotency-record-store.ts';
import type { MaybePromise } from '../../src/maybe-promise.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { newKey } from './new-key.ts';

const FIRST = { keyId: 1, operation: 'POST /v1/pets', idempotencyKey: 'one' };
/** Each of the others differs from the first one in one part. */
const SCOPES = [
  FIRST,
  { ...FIRST, keyId: 2 },
  { ...FIRST, operation: 'POST /v1/store/orders' },
  { ...FIRST, idempotencyKey: 'two' },
];
const response = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe.each(ENGINES)('idempotency records in $name', ({ open }) => {
  const storage = useEach(open);
  const write = <T>(work: (records: IdempotencyRecordStore) => MaybePromise<T>) =>
    storage.database.write(BY_TEST, ({ idempotencyRecords }) => work(idempotencyRecords));
  const find = () =>
    Promise.all(SCOPES.map((scope) => write((records) => records.find(scope) ?? null)));
  const times = async () => (await find()).map((record) => record?.savedAt);

  beforeEach(async () => {
    for (const name of ['till', 'web shop'])
      await storage.database.write(BY_TEST, ({ apiKeys }) => apiKeys.create(newKey(name)));
    const record = { fingerprint: hashKey('x'), response };
    for (const [savedAt, scope] of SCOPES.entries())
      await write((records) => records.save(scope, { ...record, savedAt }));
  });

  test('are found byte for byte', async () => {
    for (const record of await find()) expect([...(record?.response ?? [])]).toEqual([...response]);
    expect(await times()).toEqual([0, 1, 2, 3]);
  });

  test('are deleted one by one', async () => {
    for (const _ of ['stored', 'deleted']) await write((records) => records.delete(FIRST));
    expect(await times()).toEqual([undefined, 1, 2, 3]);
  });

  test('are deleted up to a given number, which is returned', async () => {
    const deleteBefore = (time: number) => write((records) => records.deleteBefore(time, 2));
    const counts = [await deleteBefore(0), await deleteBefore(3), await deleteBefore(3)];
    expect(counts).toEqual([0, 2, 1]);
    expect(await times()).toEqual([undefined, undefined, undefined, 3]);
  });
});
