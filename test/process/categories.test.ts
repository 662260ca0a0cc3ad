import { expect, test } from 'bun:test';
import { animalStore, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

test('category records are exported, and imported into another catalogue, exactly', async () => {
  const source = [
    { id: '-9223372036854775808', name: 'Lowest' },
    { id: '0', name: 'Dogs, "big"' },
    { id: '9223372036854775807', name: 'Highest' },
  ].map(({ id, name }) => `{"id":${id},"name":${JSON.stringify(name)}}\n`);
  const flags = ['--categories', '--database', place.database];
  const imported = await animalStore(['import', '-', ...flags], { input: source.join('') });
  expect(imported).toMatchObject({ status: 0, stderr: 'Imported 3 categories.\n' });
  expect((await animalStore(['export', ...flags])).stdout).toBe(source.join(''));

  const csv = `${place.path}/categories.csv`;
  await animalStore(['export', ...flags, '--output', csv]);
  const other = ['--categories', '--database', `${place.path}/other.db`];
  await animalStore(['import', csv, ...other]);
  expect((await animalStore(['export', ...other])).stdout).toBe(source.join(''));
});
