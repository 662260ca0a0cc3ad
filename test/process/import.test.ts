import { expect, test } from 'bun:test';
import { animalStore, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { importText, lines, stored } from './transfer.ts';

const place = useEach(workplace);

const CATALOGUE = lines(
  '{"id":1,"name":"Rex","categoryId":1,"status":"available"}',
  '{"id":2,"name":"Mia","categoryId":2}',
);

const SOURCES = {
  'animals.csv': 'name,categoryId,status\nRex,1,available\nMia,2,\n',
  'animals.ndjson':
    '{"name":"Rex","categoryId":1,"status":"available"}\n{"name":"Mia","categoryId":2}',
  'animals.jsonl':
    '\n{"name":"Rex","categoryId":1,"status":"available"}\r\n\n{"name":"Mia","categoryId":2}\r\n',
  'animals.json':
    '[{"name":"Rex","categoryId":1,"status":"available"},\n{"categoryId":2,"name":"Mia"}]',
} as const;

for (const [name, text] of Object.entries(SOURCES)) {
  test(`${name} is recognized by its extension, and by its content from standard input`, async () => {
    const byName = await importText(place, name, text);
    expect(byName).toEqual({ status: 0, stdout: '', stderr: 'Imported 2 animals.\n' });
    expect(await stored(place.database)).toBe(CATALOGUE);

    const other = place.file('other.db');
    const piped = await animalStore(['import', '-', '--database', other], { input: text });
    expect(piped).toEqual(byName);
    expect(await stored(other)).toBe(CATALOGUE);
  });
}

test('--format takes precedence over the extension, and --json prints the counts', async () => {
  const flags = ['--format', 'csv', '--json'];
  const run = await importText(place, 'animals.json', SOURCES['animals.csv'], ...flags);
  expect(run.status).toBe(0);
  expect(JSON.parse(run.stdout)).toEqual({ imported: 2, skipped: 0 });
});

test('--map reads fields from other columns, and --category applies to rows without a category', async () => {
  const text = 'Kind,a=b,state\nCat,7,sold\nDog,,\n';
  const maps = ['--map', 'Kind=name', '--map', 'a=b=categoryId', '--map', 'state=status'];
  const run = await importText(place, 'a.csv', text, ...maps, '--category', '-5');
  expect(run.stderr).toBe('Imported 2 animals.\n');
  expect(await stored(place.database)).toBe(
    lines(
      '{"id":1,"name":"Cat","categoryId":7,"status":"sold"}',
      '{"id":2,"name":"Dog","categoryId":-5}',
    ),
  );
  const json = '[{"Kind":"Cat","a=b":7,"state":0,"length":39.1,"age":null}]';
  const refused = await importText(place, 'a.json', json, ...maps);
  expect(refused.stderr).toContain('line 1: state: must be one of');
});

test('--keep-ids keeps the ids, and the next animal gets a higher id', async () => {
  const text = lines('id,name,categoryId', '40,Rex,1', '7,Mia,1');
  expect((await importText(place, 'a.csv', text, '--keep-ids')).status).toBe(0);
  expect((await importText(place, 'b.csv', text)).status).toBe(0);
  const ids = [...(await stored(place.database)).matchAll(/"id":(\d+)/g)];
  expect(ids.map((match) => match[1])).toEqual(['7', '40', '41', '42']);
  const dropped = await importText(place, 'c.csv', text, '--map', 'id=id');
  expect(dropped.status).toBe(2);
  expect(dropped.stderr).toContain('--map to id is allowed only with --keep-ids');
});
