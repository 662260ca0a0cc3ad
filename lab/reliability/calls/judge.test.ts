import { describe, expect, test } from 'bun:test';
import { type Content, type Fate, problemsOf, type RecordedEvent } from './judge.ts';
import type { Change } from './scenario.ts';

const EMPTY: Content = { events: [], resources: new Map() };
const REX: RecordedEvent = {
  type: 'pet.created',
  subject: 'pets/1',
  data: { id: 1, name: 'Rex', categoryId: 1 },
};
const LUNA: RecordedEvent = {
  type: 'pet.created',
  subject: 'pets/2',
  data: { id: 2, name: 'Luna', categoryId: 1 },
};
const ROWS = {
  rex: ['pets/1', '[1,"Rex",1,null]'],
  luna: ['pets/2', '[2,"Luna",1,null]'],
} as const;
const BOTH: Change = {
  name: 'a batch',
  method: 'POST',
  path: '/pet-batches',
  events: ['pet.created Rex ', 'pet.created Luna '],
};

const judge = (fate: Fate, events: RecordedEvent[], rows: (readonly [string, string])[]) =>
  problemsOf(EMPTY, { events, resources: new Map(rows) }, [{ change: BOTH, fate }]);

describe('a change', () => {
  test('may be there if it was sent, and must be there if it was acknowledged', () => {
    const whole = [REX, LUNA];
    expect(judge('acknowledged', whole, [ROWS.rex, ROWS.luna])).toEqual([]);
    expect(judge('sent', whole, [ROWS.rex, ROWS.luna])).toEqual([]);
    expect(judge('sent', [], [])).toEqual([]);
    expect(judge('acknowledged', [], [])).toEqual([
      'a batch was acknowledged, and of its events there are 0,0',
    ]);
    expect(judge('not sent', whole, [ROWS.rex, ROWS.luna])).toHaveLength(1);
  });

  test('may not be there in part, or twice', () => {
    expect(judge('sent', [REX], [ROWS.rex])).toHaveLength(1);
    expect(judge('acknowledged', [REX, LUNA, LUNA], [ROWS.rex, ROWS.luna])).toHaveLength(1);
  });

  test('may not have a row without its event, or an event without its row', () => {
    expect(judge('acknowledged', [REX, LUNA], [ROWS.rex])).toEqual([
      'pets/2 is undefined, but [2,"Luna",1,null] according to the events',
    ]);
    expect(judge('sent', [], [ROWS.rex])).toHaveLength(1);
  });
});
