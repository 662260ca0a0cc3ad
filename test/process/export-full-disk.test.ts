/** An export that cannot be written completely fails, whatever its target. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { animalStore, commandOf, runProgram, workplace } from '../support/process.ts';
import { canMount, withSmallDisk } from '../support/small-disk.ts';
import { expectRefused } from './maintained.ts';
import { importText, lines } from './transfer.ts';

const place = workplace();
const row = (_value: unknown, index: number) => `{"name":"animal ${index}","categoryId":1}`;

/** The number of animals of each catalogue: one is written in one chunk, the other in many. */
const SIZES = { small: 3, large: 5_000 };

beforeAll(async () => {
  for (const [size, rows] of Object.entries(SIZES)) {
    const database = place.file(`${size}.db`);
    const text = lines(...Array.from({ length: rows }, row));
    expect((await importText({ ...place, database }, 'a.ndjson', text)).status).toBe(0);
  }
});
afterAll(() => place.remove());

const exportOf = (size: string): string =>
  commandOf('export', '--database', place.file(`${size}.db`)).join(' ');

/** Runs an export in a shell, to use its redirections. */
const exportInShell = (size: string, rest: string) =>
  runProgram(['sh', '-c', `${exportOf(size)} ${rest}`]);

test.each(Object.keys(SIZES))(
  'an export of a %s catalogue exits with status 1 and one sentence if its target is full',
  async (size) => {
    const args = ['export', '--database', place.file(`${size}.db`), '--output', '/dev/full'];
    expectRefused(await animalStore(args), '/dev/full cannot be written: ENOSPC');
    const redirected = await exportInShell(size, '>/dev/full');
    expectRefused(redirected, 'Standard output cannot be written: ENOSPC');
  },
);

test('an export to /dev/stdout is one to standard output', async () => {
  const run = await exportInShell('small', '--output /dev/stdout >/dev/full');
  expectRefused(run, '/dev/stdout cannot be written: ENOSPC');
  expect((await exportInShell('large', '--output /dev/stdout | true')).stderr).toBe('');
});

test('an export to a closed standard output, which the runtime replaces with /dev/null, succeeds', async () => {
  expect(await exportInShell('large', '>&-')).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('a large export into head -1 prints no error', async () => {
  const script = `{ ${exportOf('large')}; echo "status $?" >&2; } | head -1`;
  expect(await runProgram(['sh', '-c', script])).toEqual({
    status: 0,
    stdout: '{"id":1,"name":"animal 0","categoryId":1}\n',
    stderr: 'status 0\n',
  });
});

test.skipIf(!canMount)(
  'an export that fills a disk exits with status 1, and leaves the previous file and no other',
  async () => {
    using disk = workplace();
    await withSmallDisk(disk.path, '64k', async () => {
      const output = await disk.write('out.ndjson', 'the export of yesterday\n');
      const run = await exportInShell('large', `--output ${output}`);
      expectRefused(run, `${output} cannot be written: ENOSPC`);
      expect(disk.files()).toEqual(['out.ndjson']);
      expect(disk.read('out.ndjson').toString()).toBe('the export of yesterday\n');
      const redirected = await exportInShell('large', `> ${output}`);
      expectRefused(redirected, 'Standard output cannot be written: ENOSPC');
    });
  },
);
