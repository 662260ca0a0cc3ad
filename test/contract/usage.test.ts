/** Usage is counted in memory, and no count is lost if a flush fails. */
import { describe, expect, test } from 'bun:test';
import { type OperationUsage, UsageCounter } from '../../src/observe/usage.ts';

describe('the counter of usage', () => {
  test('stores the calls of each key to each operation since the last flush, and the time of the last call', async () => {
    const written: OperationUsage[][] = [];
    const counter = new UsageCounter(async (usage) => void written.push([...usage]));
    counter.count(1, 'listPets', 100);
    counter.count(1, 'listPets', 300);
    counter.count(2, 'listPets', 200);
    await counter.flush();
    await counter.flush();
    expect(written).toEqual([
      [
        { keyId: 1, operationId: 'listPets', calls: 2, lastCalledAt: 300 },
        { keyId: 2, operationId: 'listPets', calls: 1, lastCalledAt: 200 },
      ],
    ]);
  });

  test('keeps counts that could not be stored, and adds later counts', async () => {
    const written: OperationUsage[][] = [];
    let fails = true;
    const counter = new UsageCounter(async (usage) => {
      if (fails) throw new Error('full');
      written.push([...usage]);
    });
    counter.count(1, 'getPet', 100, 5);
    const failed = counter.flush();
    counter.count(1, 'getPet', 200);
    await expect(failed).rejects.toThrow('full');
    fails = false;
    await counter.flush();
    expect(written).toEqual([[{ keyId: 1, operationId: 'getPet', calls: 6, lastCalledAt: 200 }]]);
  });
});
