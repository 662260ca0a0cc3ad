import { expect, test } from 'bun:test';
import { migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { openScratch } from './scratch.ts';

const VERSIONS = [1, 2, 3].map((number) => `CREATE TABLE animal_store.notes_${number} (id int)`);

test('a migration reports the versions before and after once, but not of a new database', async () => {
  const scratch = await openScratch();
  const reports: [number, number][] = [];
  for (const known of [1, 3, 3]) {
    await migrate(
      { url: scratch.url, prepared: true, serverTimeoutMs: undefined },
      {
        migrations: VERSIONS.slice(0, known),
        onMigrated: (from, to) => reports.push([from, to]),
      },
    );
  }
  expect(reports).toEqual([[100, 102]]);
  await scratch.remove();
});
