import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { versionAfter } from '../../src/storage/migrations.ts';
import { currentVersion } from '../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/schema/migrations.ts';
import { openScratch } from '../storage/postgres/scratch.ts';
import { HANDBOOK, readPage } from '../support/handbook.ts';
import { inWorkplace, ROOT, startService, TEST_LIMIT_MS, withService } from '../support/process.ts';
import { maintain, maintained } from './maintained.ts';

const CURRENT = versionAfter(MIGRATIONS);

test('docs/operating/upgrade.md names the schemas of this version', () => {
  const page = readFileSync(`${ROOT}docs/operating/upgrade.md`, 'utf8');
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
  expect(shown.length).toBeGreaterThan(4);
  expect(shown as unknown[]).toEqual(expected);
});

test(
  'migrate creates no file: a missing one is a mistaken path',
  inWorkplace(async ({ database, files }) => {
    for (const flags of [['--check'], []]) {
      const { status, stderr } = await maintain(database, 'migrate', ...flags);
      expect([status, files()]).toEqual([1, []]);
      expect(stderr).toContain(`${database}`);
    }
  }),
  TEST_LIMIT_MS,
);

test(
  'after migrate as the owner, the service runs under a PostgreSQL role that may create nothing',
  inWorkplace(async () => {
    const scratch = await openScratch();
    try {
      const role = await scratch.createRole();
      await maintained(scratch.url, 'migrate');
      await scratch.sql.unsafe(`GRANT USAGE ON SCHEMA animal_store TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA animal_store TO ${role};
        GRANT SELECT, USAGE ON ALL SEQUENCES IN SCHEMA animal_store TO ${role}`);
      const url = scratch.roleUrl(role);
      const again = await maintain(url, 'migrate');
      expect([again.status, again.stderr]).toEqual([
        0,
        expect.stringContaining('already has schema'),
      ]);
      await withService(await startService(url), async (service) => {
        expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
        expect(await maintained(url, 'check')).toBe('No faults were found.\n');
        await service.stop();
      });
    } finally {
      await scratch.remove();
    }
  }),
  TEST_LIMIT_MS,
);
