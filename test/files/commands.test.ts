/** The command `import` reads the files of the shared cases. */
import { expect, test } from 'bun:test';
import { importText, skippedLines, stored } from '../process/transfer.ts';
import { animalStore, inWorkplace, ONE_SENTENCE, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { FILE_CASES } from './file-cases.ts';

const place = useEach(workplace);

const SOME = [
  'numbers of JSON, to their limits',
  'semicolons',
  'UTF-16',
  'a JSON array after a byte order mark, with faults and an empty line',
] as const;

test.each(SOME)('a file with %s is imported, or refused by one sentence', (what) =>
  inWorkplace(async (place) => {
    const { name, bytes, animals, faults = [], refused, delimiter } = FILE_CASES[what] ?? {};
    const run = await importText(place, name ?? '', bytes ?? '', '--on-error', 'skip', '--json');
    const catalogue = await stored(place.database);
    expect(catalogue.replaceAll(/"id":\d+,/g, '')).toBe(
      (animals ?? []).map((one) => `${one}\n`).join(''),
    );
    expect(run.status).toBe(refused === undefined ? 0 : 1);
    if (refused === undefined) {
      expect(JSON.parse(run.stdout)).toEqual({
        imported: animals?.length,
        skipped: faults.length,
        ...(delimiter !== ',' && { delimiter }),
      });
      expect(run.stderr).toBe(faults.map((fault) => `animal-store: skipped ${fault}\n`).join(''));
    } else {
      expect(run.stderr).toStartWith(`animal-store: ${refused}`);
      expect(run.stderr).toMatch(ONE_SENTENCE);
    }
  })(),
);

test('an import names a delimiter that is not a comma, and reads only the columns that its flags use', async () => {
  const file = 'id;id;Kind;name\n9;9;1;Rex\n';
  const run = await importText(place, 'a.csv', file, '--map', 'Kind=categoryId');
  expect(run.stderr).toBe('Imported 1 animal (the delimiter is a semicolon).\n');
  const kept = await importText(place, 'b.csv', file, '--map', 'Kind=categoryId', '--keep-ids');
  expect(kept.stderr).toContain('the first line contains the column id twice.');
  expect(await stored(place.database)).toBe('{"id":1,"name":"Rex","categoryId":1}\n');
});

test('ids that a spreadsheet has changed are refused, of animals and of categories', async () => {
  const rows = 'id,name,categoryId\n1E+3,Rex,1\n1000,Mia,1\n';
  for (const [flag, column] of [
    ['--keep-ids', 'animal'],
    ['--categories', 'category'],
  ] as const) {
    const run = await importText(place, 'a.csv', rows, flag, '--on-error', 'skip');
    expect(skippedLines(run)).toEqual([2]);
    expect(run.stderr).toContain('id: must be an integer in digits, but is 1E+3.');
    expect(run.stderr).toContain(`Imported 1 ${column}, skipped 1 row.`);
  }
  const flags = ['--categories', '--database', place.database];
  expect((await animalStore(['export', ...flags])).stdout).toBe('{"id":1000,"name":"Mia"}\n');
});

test('an export of categories for spreadsheets has no formula, also with an id below zero at the beginning of a line', async () => {
  const rows = '{"id":-5,"name":"1;=2"}\n';
  await importText(place, 'a.ndjson', rows, '--categories');
  const flags = ['--format', 'csv', '--escape-formulas', '--database', place.database];
  const { stdout } = await animalStore(['export', '--categories', ...flags]);
  expect(stdout).toBe(`id,name\n'-5,"1;'=2"\n`);
});
