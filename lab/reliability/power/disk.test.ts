import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesAfter, type Loss } from './crash.ts';
import { Disk } from './disk.ts';
import { fileOf, parseTrace, textsOf } from './trace.ts';

/**
 * Without `-xx` it is, by line from 0: mkdir data; open data/a; write 'one '; write 'two'; fdatasync data/a begins; another thread writes 'THREE'
 * at 8; fdatasync ends; open data; fsync data; rename data/a to data/b; open data/a fails; ftruncate data/b to 10; fsync data/b; unlink
 * data/b; write 'done' to a pipe.
 */
const TRACE = readFileSync(join(import.meta.dirname, 'small-trace.txt'), 'latin1');

const escaped = (bytes: Uint8Array | string): string =>
  [...Buffer.from(bytes)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

describe('the parser of a trace', () => {
  const calls = parseTrace(TRACE);

  test('joins the begin and the end of a call by its thread', () => {
    expect(calls.map(({ name, start, end }) => `${name} ${start}-${end}`)).toEqual([
      'mkdir 0-0',
      'openat 1-1',
      'write 2-2',
      'write 3-3',
      'fdatasync 4-6',
      'pwrite64 5-5',
      'openat 7-7',
      'fsync 8-8',
      'rename 9-9',
      'openat 10-10',
      'ftruncate 11-11',
      'fsync 12-12',
      'unlink 13-13',
      'write 14-14',
    ]);
  });

  test('knows what failed, what a descriptor is, and what was written', () => {
    expect(calls.map(({ result }) => result)).toEqual([0, 3, 4, 3, 0, 5, 4, 0, 0, -1, 0, 0, 0, 5]);
    expect(calls.filter(({ opened }) => opened === '/disk/data/a')).toHaveLength(1);
    const [first] = calls.filter(({ name }) => name === 'write');
    expect(first && fileOf(first)).toBe('/disk/data/a');
    expect(first && Buffer.concat(textsOf(first)).toString()).toBe('one ');
  });

  test('lets a call without an end last forever', () => {
    const [call] = parseTrace('7 fsync(3<\\x2f> <unfinished ...>\n7 +++ killed by SIGKILL +++\n');
    expect(call).toMatchObject({ end: Number.POSITIVE_INFINITY, result: undefined });
  });

  test('refuses a text that strace has cut short', () => {
    expect(() => parseTrace('7 write(3<\\x2f>, "\\x2f"..., 9) = 9\n')).toThrow('cut a text short');
  });
});

const NOTHING_SURVIVES: Loss = {
  moment: 0,
  chance: 0,
  inSectors: false,
  nameChance: undefined,
  keepsSize: false,
};

/** What a power failure leaves of the trace. The chance of each change is compared with 0, and then the given numbers. */
function filesOf(loss: Partial<Loss>, trace = TRACE, numbers: readonly number[] = []) {
  const disk = new Disk('/disk', new Map(), parseTrace(trace));
  const left = [...numbers];
  const files = filesAfter(disk, { ...NOTHING_SURVIVES, ...loss }, () => left.shift() ?? 0);
  return Object.fromEntries(
    [...files].map(([path, content]) => [path.slice('/disk/'.length), content?.toString()]),
  );
}

describe('a power failure', () => {
  test('is tried at each call, each sync, and each change of names', () => {
    const disk = new Disk('/disk', new Map(), parseTrace(TRACE));
    const linesOf = (moments: readonly number[]) => [...new Set(moments)].sort((a, b) => a - b);
    expect(linesOf(disk.moments)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13]);
    expect(linesOf(disk.syncs)).toEqual([4, 6, 8, 12]);
    expect(linesOf(disk.namingMoments)).toEqual([0, 1, 8, 9, 13]);
  });

  test('loses what was not synced, and what was written during a sync', () => {
    expect(filesOf({ moment: 8 })).toEqual({ data: undefined, 'data/a': 'one two' });
  });

  test('loses what was synced if the sync has not ended', () => {
    const names = { nameChance: 0.5, chance: 0.5 };
    expect(filesOf({ ...names, moment: 5 }, TRACE, [0, 0, 1, 1, 1])['data/a']).toBe('');
    expect(filesOf({ ...names, moment: 6 }, TRACE, [0, 0, 1, 1, 1])['data/a']).toBe('one two');
  });

  test('loses a file with its folder, whose name was never synced', () => {
    expect(filesOf({ moment: 8, nameChance: 0 })).toEqual({});
  });

  test('loses no file whose folder was there before, and was synced', () => {
    const disk = new Disk('/disk', new Map([['/disk/data', undefined]]), parseTrace(TRACE));
    const loss = { ...NOTHING_SURVIVES, moment: 8, nameChance: 0 };
    expect([...filesAfter(disk, loss, () => 0).keys()]).toEqual(['/disk/data', '/disk/data/a']);
  });

  test('loses new names in their order, and keeps the content with the old name', () => {
    expect(filesOf({ moment: 12 })).toEqual({ data: undefined, 'data/a': 'one two\0TH' });
    const one = filesOf({ moment: 13 }, TRACE, [0.5]);
    expect(one).toEqual({ data: undefined, 'data/b': 'one two\0TH' });
  });

  test('may lose nothing', () => {
    const all = { chance: 1, nameChance: 1 };
    expect(filesOf({ ...all, moment: 9 })).toEqual({ data: undefined, 'data/b': 'one two\0THREE' });
    expect(filesOf({ ...all, moment: 13 })).toEqual({ data: undefined });
  });

  test('keeps some sectors of a write, and the new size or not', () => {
    const bytes = Buffer.alloc(1_024, 'x');
    const trace = `${TRACE.split('\n').slice(0, 2).join('\n')}
30922 pwrite64(3<${escaped('/disk/data/a')}>, "${escaped(bytes)}", 1024, 256) = 1024
30922 fsync(4<${escaped('/disk/data')}>) = 0
`;
    const loss = { moment: 3, chance: 0.5, inSectors: true };
    // One number for the names, and one for each sector.
    const middle = `${'\0'.repeat(512)}${'x'.repeat(512)}`;
    expect(filesOf(loss, trace, [0, 1, 0, 1])['data/a']).toBe(middle);
    const kept = filesOf({ ...loss, keepsSize: true }, trace, [0, 1, 0, 1])['data/a'];
    expect(kept).toBe(middle + '\0'.repeat(256));
  });

  test('loses more if the syncs of a file do nothing', () => {
    const lies = (path: string) => path.endsWith('/a');
    expect(filesOf({ moment: 8, lies })).toEqual({ data: undefined, 'data/a': '' });
  });

  test('is not modelled for a system call that the model does not know', () => {
    const path = escaped('/disk/a');
    for (const call of [`truncate("${path}", 4)`, `fallocate(3<${path}>, 0, 0, 9)`])
      expect(() => filesOf({}, `1 ${call} = 0\n`)).toThrow(`does not know ${call.slice(0, 8)}`);
    expect(filesOf({}, '1 truncate("\\x2f", 4) = 0\n')).toEqual({});
  });
});
