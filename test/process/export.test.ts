import { expect, test } from 'bun:test';
import { chmodSync, statSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import { workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { maintain, maintained } from './maintained.ts';
import { exported, importText, lines } from './transfer.ts';

const place = useEach(workplace);

const NASTY_NAMES = [
  ...['say "hi"', '"', 'a,b', 'line\nbreak', 'line\r\nbreak', '\rreturn\r', '  spaces  '],
  ...['\ttab\t', '=1+1', '@cmd', "it's", '\\n', '🐕‍🦺 ünïcödé e\u0301 é'],
  '𝒜'.repeat(255),
  ...['\uFEFFmark', '\u2028\u0085', 'null', '0', '#hash', 'id,name,categoryId,status'],
];

const CATEGORIES = ['9223372036854775807', '-9223372036854775808', '0', '9007199254740993'];
const STATUSES = ['"available"', '"pending"', '"sold"', undefined];

/** A catalogue with unusual names, and ids with gaps. */
const NASTY = lines(
  ...NASTY_NAMES.map((name, index) => {
    const status = STATUSES[index % STATUSES.length];
    const category = CATEGORIES[index % CATEGORIES.length];
    const tail = status === undefined ? '' : `,"status":${status}`;
    return `{"id":${3 * index + 1},"name":${JSON.stringify(name)},"categoryId":${category}${tail}}`;
  }),
  '{"id":4611686018427387904,"name":"last","categoryId":1}',
);

for (const format of ['ndjson', 'csv']) {
  test(`a ${format} export that is imported with --keep-ids into a new file exports the same bytes`, async () => {
    const first = await importText(place, 'nasty.ndjson', NASTY, '--keep-ids');
    expect(first.stderr).toBe(`Imported ${NASTY_NAMES.length + 1} animals.\n`);
    expect(await exported(place.database)).toBe(NASTY);
    const text = await exported(place.database, format);
    const copy = { ...place, database: place.file('copy.db') };
    expect((await importText(copy, `copy.${format}`, text, '--keep-ids')).status).toBe(0);
    expect(await exported(copy.database, format)).toBe(text);
    expect(await exported(copy.database)).toBe(NASTY);
  });
}

test('--escape-formulas puts a quote before texts that a spreadsheet would run, and before no other text', async () => {
  const rows = ['="a,b"', 'Rex'].map((name) => JSON.stringify({ name, categoryId: -7 }));
  await importText(place, 'a.ndjson', lines(...rows));
  const stdout = await maintained(
    place.database,
    ...['export', '--escape-formulas', '--format', 'csv'],
  );
  expect(stdout).toBe(`id,name,categoryId,status\n1,"'=""a,b""",-7,\n2,Rex,-7,\n`);
});

test('--output writes the complete file in the format of its extension, and leaves no other file; - is standard output', async () => {
  await importText(place, 'nasty.ndjson', NASTY, '--keep-ids');
  const before = place.files();
  for (const [name, format] of [
    ['out.csv', 'csv'],
    ['out.ndjson', 'ndjson'],
    ['out.txt', 'ndjson'],
  ] as const) {
    const run = await maintain(place.database, 'export', '--output', place.file(name));
    expect(run).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(place.read(name).toString()).toBe(await exported(place.database, format));
  }
  expect(await maintained(place.database, 'export', '--output', '-')).toBe(NASTY);
  expect(place.files()).toEqual([...before, 'out.csv', 'out.ndjson', 'out.txt'].sort());
});

test('--output keeps the mode of a file that it replaces', async () => {
  await importText(place, 'a.ndjson', lines('{"name":"Rex","categoryId":1}'));
  for (const mode of [0o600, 0o666]) {
    const output = await place.write('out.ndjson', 'yesterday');
    chmodSync(output, mode);
    await maintained(place.database, 'export', '--output', output);
    expect(place.read('out.ndjson').toString()).toContain('Rex');
    expect(statSync(output).mode & 0o777).toBe(mode);
  }
});

test('an empty catalogue is an empty NDJSON export, and a CSV export with only the header', async () => {
  await createKey(place.database);
  expect(await exported(place.database)).toBe('');
  expect(await exported(place.database, 'csv')).toBe('id,name,categoryId,status\n');
});
