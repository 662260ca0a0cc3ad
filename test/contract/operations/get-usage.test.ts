/** getUsage: GET /usage. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import type { Result } from '../../../src/http/contract/handler.ts';
import type { getUsage as declared } from '../../../src/usage/get-usage.ts';
import { BY_TEST } from '../../support/cause.ts';
import { useFreshService } from '../use-fresh-service.ts';

const service = useFreshService();
beforeEach(() => {
  service.clock.set('2027-03-01T12:00:00Z');
});

type Usage = Result<typeof declared>['body'];

const getUsage = async () => (await service.request('GET', '/v1/usage')).json as Usage;
const usageOf = async (operationId: string) =>
  (await getUsage()).operations.find((one) => one.operationId === operationId);
const add = (operationId: string, calls: number, time: string, keyId = 1) =>
  service.database.write(BY_TEST, ({ usage }) =>
    usage.add([{ keyId, operationId, calls, lastCalledAt: Date.parse(time) }]),
  );
const called = (usage: Usage['operations'][number] | undefined) =>
  usage?.days.filter(({ calls }) => calls > 0);

describe('getUsage', () => {
  test('returns the last 30 days in UTC and no operation if none was called', async () => {
    expect(await getUsage()).toEqual({ from: '2027-01-31', to: '2027-03-01', operations: [] });
  });

  test('returns the calls of each operation per day and by key, ascending by operation', async () => {
    const { secret, key } = await service.issueKey(['pets:read']);
    for (let call = 0; call < 3; call += 1) {
      await service.request('GET', '/v1/pets/1', { key: secret });
    }
    await service.usage.flush();
    service.clock.set('2027-03-02T08:00:00Z');
    await service.request('GET', '/v1/pets/1');
    await service.request('GET', '/v1/pets');
    await service.usage.flush();
    const { from, to, operations } = await getUsage();
    expect([from, to]).toEqual(['2027-02-01', '2027-03-02']);
    expect(operations.map(({ operationId }) => operationId)).toEqual(['getPet', 'listPets']);
    const [getPet] = operations;
    expect(getPet).toMatchObject({
      lifecycle: 'deprecated',
      totalCalls: 4,
      lastCalledAt: '2027-03-02T08:00:00.000Z',
      keyCount: 2,
    });
    expect(called(getPet)).toEqual([
      { date: '2027-03-01', calls: 3 },
      { date: '2027-03-02', calls: 1 },
    ]);
    expect(getPet?.keys).toEqual([
      { keyId: 1, keyName: 'test', totalCalls: 1, lastCalledAt: '2027-03-02T08:00:00.000Z' },
      {
        keyId: key.id,
        keyName: 'another',
        totalCalls: 3,
        lastCalledAt: '2027-03-01T12:00:00.000Z',
      },
    ]);
  });

  test('returns every one of the 30 days in order, and leaves out older ones, which stay in the total', async () => {
    await add('getPet', 4, '2027-01-30T23:59:59.999Z');
    await add('getPet', 2, '2027-01-31T00:00:00Z');
    await add('getPet', 1, '2027-03-01T11:00:00Z');
    const usage = await usageOf('getPet');
    const dates = usage?.days.map(({ date }) => date) ?? [];
    expect(dates).toHaveLength(30);
    expect(dates).toEqual(dates.toSorted());
    expect([dates[0], dates.at(-1)]).toEqual(['2027-01-31', '2027-03-01']);
    expect(called(usage)?.map(({ calls }) => calls)).toEqual([2, 1]);
    expect(usage?.totalCalls).toBe(7);
  });

  test('moves to the next day at midnight, even if nothing else has changed', async () => {
    for (let time = 0; time < 3; time += 1) expect((await getUsage()).to).toBe('2027-03-01');
    service.clock.set('2027-03-01T23:59:59.999Z');
    expect((await getUsage()).to).toBe('2027-03-01');
    service.clock.set('2027-03-02T00:00:00Z');
    expect((await getUsage()).to).toBe('2027-03-02');
  });

  test('returns at most 100 keys of an operation, the latest call first, and the number of all', async () => {
    const start = Date.parse('2027-03-01T00:00:00Z');
    for (let count = 0; count < 102; count += 1) {
      const { key } = await service.issueKey();
      await add('getPet', 1, new Date(start + count).toISOString(), key.id);
    }
    const usage = await usageOf('getPet');
    expect([usage?.keyCount, usage?.totalCalls, usage?.keys.length]).toEqual([102, 102, 100]);
    const ids = usage?.keys.map(({ keyId }) => keyId) ?? [];
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(ids[0]).toBe(103);
  });

  test('names the lifecycle of each operation', async () => {
    for (const { operation } of operationsOf(true)) await add(operation.id, 1, '2027-03-01');
    await add('formerOperation', 1, '2027-03-01');
    const { operations } = await getUsage();
    const lifecycles = Object.fromEntries(
      operations.map(({ operationId, lifecycle }) => [operationId, lifecycle]),
    );
    const { listPets, getPet, formerOperation, getUsage: own } = lifecycles;
    const marks = [listPets, getPet, formerOperation, own];
    expect(marks).toEqual(['stable', 'deprecated', 'removed', 'beta']);
    expect(operations).toHaveLength(operationsOf(true).length + 1);
  });
});
