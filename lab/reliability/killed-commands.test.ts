import { describe, expect, test } from 'bun:test';
import { stateAfter } from './effect.ts';
import { callsIn } from './system-calls.ts';

test('the calls of a trace are those of the first thread, and the most of any other thread', () => {
  const trace = [
    '10    execve("/usr/bin/bun", ["bun"], 0x7f) = 0',
    '10    pwrite64(3, "a", 1, 0)         = 1',
    '12    write(4, "a", 1)               = 1',
    '12    fsync(4 <unfinished ...>',
    '10    pwrite64(3, "a", 1, 0)         = 1',
    '12    <... fsync resumed>)           = 0',
    '13    fsync(4)                       = 0',
    '13    fsync(4)                       = 0',
    '10    rename("a", "b")               = 0',
    '',
  ].join('\n');
  expect(callsIn(trace).map(({ name, nth, inFirstThread }) => [name, nth, inFirstThread])).toEqual([
    ['pwrite64', 1, true],
    ['pwrite64', 2, true],
    ['rename', 1, true],
    ['fsync', 1, false],
    ['fsync', 2, false],
  ]);
});

describe('a catalogue after a command that adds two animals and changes a key', () => {
  const before = { pets: ['a'], api_keys: ['k', 'l'], highest_ids: ['1'] };
  const effect = { adds: { pets: 2 }, changes: { api_keys: 1 } };
  const stateOf = (now: Record<string, string[]>) => stateAfter(before, now, effect);

  test('is unchanged, even if ids were used', () => {
    expect(stateOf({ ...before, highest_ids: ['3'] })).toBe('unchanged');
  });

  test('is complete', () => {
    expect(stateOf({ pets: ['a', 'b', 'c'], api_keys: ['k', 'm'] })).toBe('complete');
  });

  test.each([
    ['an animal is missing', { pets: ['a', 'b'], api_keys: ['k', 'm'] }],
    ['the key has not changed', { pets: ['a', 'b', 'c'], api_keys: ['k', 'l'] }],
    ['another row has changed', { pets: ['x', 'b', 'c'], api_keys: ['k', 'm'] }],
    ['another table has changed', { ...before, orders: ['o'] }],
    ['a table is empty', { pets: ['a', 'b', 'c'] }],
  ])('is between if %s', (_what, now) => {
    expect(stateOf(now)).toBeArray();
  });
});
