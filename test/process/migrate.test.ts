import { Database as Sqlite } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { versionAfter } from '../../src/storage/migrations.ts';
import { currentVersion } from '../../src/storage/postgres/schema/migrate.ts';
import { migrate } from '../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/schema/migrations.ts';
import { ROOT, startService, type Workplace, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { HANDBOOK, readPage } from './handbook.ts';
import { maintain, maintained } from './maintained.ts';

const place = useEach(workplace);

const CURRENT = versionAfter(MIGRATIONS);

test('docs/upgrade.md names the schemas of this version', () => {
  const page = readFileSync(`${ROOT}docs/upgrade.md`, 'utf8');
  expect(page).toContain(`\n| ${packageJson.version} | ${CURRENT} | ${currentVersion()} |\n`);
});

test('each status in the handbook shows the schema of this version', () => {
  const shown = HANDBOOK.flatMap((page) => {
    const schemas = [...readPage(page).matchAll(/^Schema +(\d+)$/gm)];
    return schemas.map(([, schema]) => [page, Number(schema)] as const);
  });
  const expected = shown.map(([page]) => [
    page,
    page.includes('postgresql') ? currentVersion() : CURRENT,
  ]);
  expect(shown.length).toBeGreaterThan(2);
  expect(shown as unknown[]).toEqual(expected);
});

function createOlder({ database }: Workplace): void {
  const connection = new Sqlite(database, { create: true });
  migrate(connection, database, MIGRATIONS.slice(0, -1));
  connection.run("INSERT INTO pets (name, category_id, folded_name) VALUES ('Rex', 1, 'rex')");
  connection.close(true);
}

test('migrate brings a file to the current schema once, and --check only tells whether it must', async () => {
  const { database } = place;
  createOlder(place);
  const check = await maintain(database, 'migrate', '--check');
  const needed = `animal-store: ${database} has schema ${CURRENT - 1}, and this program needs schema ${CURRENT}. Stop all instances before you migrate it.\n`;
  expect([check.status, check.stderr]).toEqual([1, needed]);
  const first = await maintain(database, 'migrate');
  const migrated = `Migrated ${database} from schema ${CURRENT - 1} to ${CURRENT}.\n`;
  expect([first.status, first.stderr]).toEqual([0, migrated]);
  for (const flags of [[], ['--check']]) {
    const again = await maintain(database, 'migrate', ...flags);
    const already = `${database} already has schema ${CURRENT}.\n`;
    expect([again.status, again.stderr]).toEqual([0, already]);
  }
  expect(await maintained(database, 'check')).toBe('No faults were found.\n');
});

test('status, check and backup do not migrate an older file, and a restored one is migrated at the next start', async () => {
  const { database, file, read } = place;
  createOlder(place);
  const before = read('animals.db');
  expect(await maintained(database, 'status')).toContain(
    `${CURRENT - 1}; this program needs ${CURRENT}`,
  );
  const checked = await maintain(database, 'check');
  const next = `animal-store: The schema has version ${CURRENT - 1}: the next start migrates it to ${CURRENT}.\n`;
  expect([checked.status, checked.stderr]).toEqual([0, next]);
  expect(read('animals.db').equals(before)).toBeTrue();
  await maintained(database, 'backup', file('a.db'));
  expect(await maintained(database, 'status')).toContain(`${CURRENT - 1}; this program needs`);
  const { stderr } = await maintain(database, 'restore', file('a.db'));
  expect(stderr).toContain(`The next start migrates it from schema ${CURRENT - 1} to ${CURRENT}.`);
  await using service = await startService(database);
  expect((await service.stop()).stderr).toStartWith(
    `animal-store: Migrated ${database} from schema ${CURRENT - 1} to ${CURRENT}.\n`,
  );
  expect(await maintained(database, 'status')).toMatch(/^Animals +1 \(unset 1\)$/m);
});
