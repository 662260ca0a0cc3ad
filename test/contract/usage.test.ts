/** Usage is counted in memory, and no count is lost if a flush fails. */
import { describe, expect, test } from 'bun:test';
import { type OperationUsage, UsageCounter } from '../../src/observe/usage.ts';

describe('the counter of usage', () => {
  test('stores the calls of each key to each operation since the last flush, and the time of the last call', async () => {
    const written: OperationUsage[][] = [];
    const counter = new UsageCounter(async (usage) => void written.push([...usage]));
    counter.count(1, 'listPets', 100);
    counter.count(1, 'listPets', 300);
    counter.count(1, 'listPets', 299);
    counter.count(2, 'listPets', 200);
    await counter.flush();
    await counter.flush();
    expect(written).toEqual([
      [
        { keyId: 1, operationId: 'listPets', calls: 3, lastCalledAt: 300 },
        { keyId: 2, operationId: 'listPets', calls: 1, lastCalledAt: 200 },
      ],
    ]);
  });

  test('keeps the days of counts that could not be stored apart', async () => {
    const [yesterday, today] = [Date.parse('2027-01-01T23:00Z'), Date.parse('2027-01-02T01:00Z')];
    const written: OperationUsage[][] = [];
    let fails = true;
    const counter = new UsageCounter(async (usage) => {
      if (fails) throw new Error('full');
      written.push([...usage]);
    });
    for (const time of [yesterday, yesterday + 1, today, today + 1]) {
      counter.count(1, 'getPet', time);
      await expect(counter.flush()).rejects.toThrow('full');
    }
    fails = false;
    await counter.flush();
    await counter.flush();
    expect(written).toEqual([
      [
        { keyId: 1, operationId: 'getPet', calls: 2, lastCalledAt: yesterday + 1 },
        { keyId: 1, operationId: 'getPet', calls: 2, lastCalledAt: today + 1 },
      ],
    ]);
  });

  test('keeps the counts of two simultaneous flushes that fail', async () => {
    const written: OperationUsage[][] = [];
    const counter = new UsageCounter(async (usage) => {
      if (written.push([...usage]) < 3) throw new Error('full');
    });
    counter.count(1, 'getPet', 100);
    const first = counter.flush();
    counter.count(1, 'getPet', 200);
    const second = counter.flush();
    const ended = await Promise.allSettled([first, second]);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await counter.flush();
    expect(written[2]).toEqual([{ keyId: 1, operationId: 'getPet', calls: 2, lastCalledAt: 200 }]);
  });
});
