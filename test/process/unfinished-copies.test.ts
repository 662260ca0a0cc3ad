/** The copies of killed backups and restores, and triggers of other programs in a backup. */
import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  createUnfinished,
  isAt,
  removeAbandoned,
} from '../../src/storage/sqlite/maintenance/unfinished-copies.ts';
import { createKey } from '../support/create-key.ts';
import { spawnGuarded } from '../support/guard.ts';
import {
  commandOf,
  inWorkplace,
  ROOT,
  TEST_LIMIT_MS,
  until,
  type Workplace,
} from '../support/process.ts';
import {
  addAnimals,
  maintain,
  maintained,
  namesIn,
  sharedCatalogue,
  withFile,
} from './maintained.ts';

/** Enough for a kill in the middle of a copy. */
const copyCatalogue = sharedCatalogue(200_000);

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

test.each([
  ['backup', 'backup'],
  ['restore', 'backup'],
  ['backup', 'restore'],
])(
  'the copy that a killed %s left is removed by the next %s into the folder, which says so',
  async (killed, next) => {
    await inWorkplace(async (place) => {
      const { database, file, files, write } = place;
      copyCatalogue(database);
      // The backup to restore.
      copyCatalogue(file('first.db'));
      const name = killed === 'backup' ? 'monday.db' : 'first.db';
      const left = await killCopy(place, killed, file(name), '--database', database);
      await write(`${left}-journal`, 'text');
      // The next one is of another catalogue, which is small.
      await createKey(file('small.db'));
      const argument = file(next === 'backup' ? 'tuesday.db' : 'small.db');
      const other = file(next === 'backup' ? 'small.db' : 'other.db');
      const { stderr, status } = await maintain(other, next, argument);
      expect(stderr).toStartWith(
        `animal-store: Removed ${file(left)}, which a killed process had left.\n`,
      );
      expect(status).toBe(0);
      expect(files().filter((one) => one.includes('unfinished'))).toEqual([]);
    })();
  },
  TEST_LIMIT_MS,
);

test(
  'simultaneous backups into one folder do not remove the copies of each other, nor files of others',
  inWorkplace(async (place) => {
    const { database, file, files, write } = place;
    await addAnimals(database, 50_000);
    const others = [
      'mine.0123abcd.unfinished',
      'mine.0123abcd.animal-store-unfinished-notes',
      'mine.animal-store-unfinished',
    ].sort();
    for (const name of others) await write(name, 'text');
    const names = ['a.db', 'b.db'];
    const all = await Promise.all(names.map((name) => maintain(database, 'backup', file(name))));
    // A copy that is removed before it is locked is created again. One that is removed later ends its backup.
    expect(all.map(({ status }) => status)).toEqual([0, 0]);
    for (const name of names) expect(namesIn(file(name)).size).toBe(50_000);
    expect(files().filter((name) => name.includes('unfinished'))).toEqual(others);
  }),
  TEST_LIMIT_MS,
);

test(
  'a copy that another process removes at its creation is created again',
  inWorkplace(async ({ file, files }) => {
    const remover = new Worker(
      URL.createObjectURL(
        new Blob([
          `import { removeAbandoned } from ${JSON.stringify(join(ROOT, 'src/storage/sqlite/maintenance/unfinished-copies.ts'))};
           let removed = 0;
           postMessage('ready');
           for (const endMs = Date.now() + 500; Date.now() < endMs; ) removed += removeAbandoned(${JSON.stringify(file('a.db'))}).length;
           postMessage(removed);`,
        ]),
      ),
    );
    const messages: unknown[] = [];
    remover.onmessage = ({ data }) => messages.push(data);
    await until(() => messages.length === 1);
    while (messages.length === 1) {
      const { path, file: opened } = await createUnfinished(file('a.db'));
      expect(isAt(opened.fd, path)).toBe(true);
      rmSync(path);
      await opened.close();
    }
    expect(messages[1]).toBeGreaterThan(0);
    expect(files()).toEqual([]);
  }),
  TEST_LIMIT_MS,
);

test(
  'a journal without its copy is removed, and one with its copy stays',
  inWorkplace(async ({ file, files, write }) => {
    const { path, file: opened } = await createUnfinished(file('a.db'));
    const orphan = file('b.db.0123abcd.animal-store-unfinished-journal');
    for (const journal of [`${path}-journal`, orphan]) await Bun.write(journal, 'text');
    await write('b.db-journal', 'text');
    expect(removeAbandoned(file('c.db'))).toEqual([orphan]);
    await opened.close();
    expect(removeAbandoned(file('c.db'))).toEqual([path]);
    expect(files()).toEqual(['b.db-journal']);
  }),
);

test(
  'a backup whose copy is removed while it is written fails, and places nothing',
  inWorkplace(async (place) => {
    const { database, file, files } = place;
    copyCatalogue(database);
    const { child, copy } = await startCopy(place, 'backup', file('a.db'), '--database', database);
    // Before it is written, it would be created again.
    await until(() => statSync(file(copy)).size > 0);
    rmSync(file(copy));
    const stderr = await new Response(child.stderr).text();
    expect(stderr).toMatch(/^animal-store: .*\.\n$/);
    expect(await child.exited).toBe(1);
    expect(files()).toEqual(['animals.db']);
  }),
  TEST_LIMIT_MS,
);

test(
  'a folder with the name of a copy stays',
  inWorkplace(async ({ database, file, files }) => {
    await createKey(database);
    mkdirSync(file('b.0123abcd.animal-store-unfinished'));
    await maintained(database, 'backup', file('one.db'));
    expect(files().filter(isUnfinished)).toEqual(['b.0123abcd.animal-store-unfinished']);
  }),
  TEST_LIMIT_MS,
);

test(
  'a backup with a trigger of another program is made with a warning, and refused by check and restore until the trigger is gone',
  inWorkplace(async ({ database, file, files }) => {
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
  }),
  TEST_LIMIT_MS,
);
