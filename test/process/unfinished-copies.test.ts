/** The copies of killed backups and restores, and triggers of other programs in a backup. */
import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import { spawnGuarded } from '../support/guard.ts';
import { commandOf, until, type Workplace, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { maintain, maintained, sharedCatalogue, withFile } from './maintained.ts';

const place = useEach(workplace);

/** Enough for a kill in the middle of a copy. */
const COUNT = 50_000;
const copyCatalogue = sharedCatalogue(COUNT);

const countIn = (path: string): unknown =>
  withFile(path, (opened) => opened.query('SELECT count(*) FROM pets').values()[0]?.[0]);

const isUnfinished = (name: string): boolean => name.endsWith('.animal-store-unfinished');

/** Starts a command that copies, and resolves when its copy is there. */
async function startCopy({ files }: Workplace, ...args: readonly string[]) {
  const before = files();
  const child = spawnGuarded(commandOf(...args), { stdio: ['ignore', 'ignore', 'pipe'] });
  let copy: string | undefined;
  await until(() => {
    copy = files().find((name) => isUnfinished(name) && !before.includes(name));
    return copy !== undefined;
  });
  return { child, copy: copy ?? '' };
}

async function killCopy(place: Workplace, ...args: readonly string[]): Promise<string> {
  const { child, copy } = await startCopy(place, ...args);
  child.kill('SIGKILL');
  await child.exited;
  expect(place.files()).toContain(copy);
  return copy;
}

test.each(['backup', 'restore'])(
  'the copy that a killed %s left is replaced by the next one, and so is its journal',
  async (command) => {
    const { database, file, files, write } = place;
    copyCatalogue(database);
    // The backup to restore.
    copyCatalogue(file('first.db'));
    const name = command === 'backup' ? 'monday.db' : 'first.db';
    const left = await killCopy(place, command, file(name), '--database', database);
    await write(`${left}-journal`, 'text');
    await maintained(database, command, file(name));
    expect(files().filter((one) => one.includes('unfinished'))).toEqual([]);
    expect(countIn(file(name))).toBe(COUNT);
  },
);

test('simultaneous backups into one folder are independent, and the second one into the same file is refused', async () => {
  const { database, file, files } = place;
  copyCatalogue(database);
  const { child, copy } = await startCopy(place, 'backup', file('a.db'), '--database', database);
  await until(() => statSync(file(copy)).size > 0);
  // Otherwise it can end before the others begin.
  child.kill('SIGSTOP');
  const [same, other] = await Promise.all(
    ['a.db', 'b.db'].map((name) => maintain(database, 'backup', file(name))),
  );
  child.kill('SIGCONT');
  expect(same?.stderr).toBe(`animal-store: Another process is writing ${file(copy)}.\n`);
  expect([same?.status, other?.status, await child.exited]).toEqual([1, 0, 0]);
  for (const name of ['a.db', 'b.db']) expect(countIn(file(name))).toBe(COUNT);
  expect(files().filter(isUnfinished)).toEqual([]);
});

test('a backup whose copy is removed while it is written fails, and places nothing', async () => {
  const { database, file, files } = place;
  copyCatalogue(database);
  const { child, copy } = await startCopy(place, 'backup', file('a.db'), '--database', database);
  // Before it is written, it would be created again.
  await until(() => statSync(file(copy)).size > 0);
  rmSync(file(copy));
  expect(await new Response(child.stderr).text()).toMatch(/^animal-store: .*\.\n$/);
  expect(await child.exited).toBe(1);
  expect(files()).toEqual(['animals.db']);
});

test('a folder with the name of a copy stays, and is named', async () => {
  const { database, file, files } = place;
  await createKey(database);
  mkdirSync(file('b.db.animal-store-unfinished'));
  const { status, stderr } = await maintain(database, 'backup', file('b.db'));
  expect(stderr).toBe(
    `animal-store: ${file('b.db.animal-store-unfinished')} is not a file: remove it.\n`,
  );
  expect(status).toBe(1);
  expect(files()).toContain('b.db.animal-store-unfinished');
});

test('a backup with a trigger of another program is made with a warning, and refused by check and restore until the trigger is gone', async () => {
  const { database, file, files } = place;
  await createKey(database);
  withFile(database, (opened) => {
    opened.run('CREATE TRIGGER wipe AFTER INSERT ON api_keys BEGIN DELETE FROM pets; END');
    opened.run('CREATE VIEW "report\nanimal-store: forged" AS SELECT 1');
    opened.run('CREATE TABLE "a""b" (text)');
  });
  const fault =
    'the trigger wipe on api_keys belongs to another program: remove it with DROP TRIGGER';
  const others =
    'animal-store: The database also contains objects of other programs, which are not checked: ' +
    'table a"b, view report\\u000aanimal-store: forged.\n';
  const made = await maintain(database, 'backup', file('evil.db'));
  expect(made.status).toBe(0);
  expect(made.stderr).toStartWith(
    `animal-store: In the copy, ${fault} before you restore it.\n${others}Backed up `,
  );
  expect(await maintain(file('evil.db'), 'check')).toEqual({
    status: 1,
    stdout: `${fault}\n`,
    stderr: `${others}animal-store: 1 fault was found.\n`,
  });
  const before = files();
  const refused = await maintain(database, 'restore', file('evil.db'));
  expect(refused.stderr).toBe(
    `animal-store: ${fault}\nanimal-store: ${file('evil.db')} has 1 fault. Nothing was restored.\n`,
  );
  expect(refused.status).toBe(1);
  expect(files()).toEqual(before);
  withFile(file('evil.db'), (evil) => evil.run('DROP TRIGGER wipe'));
  const { status, stderr } = await maintain(database, 'restore', file('evil.db'));
  expect(stderr).toStartWith(`${others}Restored `);
  expect(status).toBe(0);
});
