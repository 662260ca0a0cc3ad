/** The copies of killed backups and restores, and triggers of other programs in a backup. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import {
  commandOf,
  createKey,
  inWorkplace,
  runProgram,
  TEST_LIMIT_MS,
  until,
  type Workplace,
} from '../support/process.ts';
import { addAnimals, maintain, maintained, namesIn, withFile } from './maintained.ts';

const isUnfinished = (name: string): boolean => name.endsWith('.unfinished');

/** Starts a command that copies, and resolves when its copy is there. */
async function startCopy({ files }: Workplace, ...args: readonly string[]) {
  const before = files();
  const child = Bun.spawn(commandOf(...args), { stdio: ['ignore', 'ignore', 'pipe'] });
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
  'the next backup into the folder removes the copy that a killed %s left, and says so',
  async (killed) => {
    await inWorkplace(async (place) => {
      const { database, file, files } = place;
      await addAnimals(database, 200_000);
      await maintained(database, 'backup', file('first.db'));
      const name = killed === 'backup' ? 'monday.db' : 'first.db';
      const left = await killCopy(place, killed, file(name), '--database', database);
      const { stderr, status } = await maintain(database, 'backup', file('tuesday.db'));
      expect(stderr).toContain(
        `animal-store: Removed ${file(left)}, which a killed process had left.\n`,
      );
      expect(status).toBe(0);
      expect(files().filter((one) => one.includes('unfinished'))).toEqual([]);
      expect(files()).toContain('tuesday.db');
    })();
  },
  TEST_LIMIT_MS,
);

test(
  'simultaneous backups into one folder do not remove the copies of each other, nor files of others',
  inWorkplace(async (place) => {
    const { database, file, files, write } = place;
    await addAnimals(database, 100_000);
    await write('mine.unfinished', 'text');
    await write('mine.0123abcd.unfinished-notes', 'text');
    const names = ['a.db', 'b.db', 'c.db'];
    const all = await Promise.all(names.map((name) => maintain(database, 'backup', file(name))));
    for (const { status, stderr } of all) {
      expect(stderr).not.toContain('Removed');
      expect(status).toBe(0);
    }
    for (const name of names) expect(namesIn(file(name)).size).toBe(100_000);
    expect(files().filter((name) => name.includes('unfinished'))).toEqual([
      'mine.0123abcd.unfinished-notes',
      'mine.unfinished',
    ]);
  }),
  TEST_LIMIT_MS,
);

test(
  'a copy that another program reads is not removed, and a folder with such a name stays',
  inWorkplace(async ({ database, file, files, write }) => {
    await createKey(database);
    await write('a.0123abcd.unfinished', Buffer.from(await Bun.file(database).bytes()));
    await Bun.$`mkdir ${file('b.0123abcd.unfinished')}`;
    const reader = new Database(file('a.0123abcd.unfinished'));
    reader.query('SELECT * FROM pets').all();
    await maintained(database, 'backup', file('one.db'));
    expect(files()).toContain('a.0123abcd.unfinished');
    reader.close(true);
    await maintained(database, 'backup', file('two.db'));
    expect(files().filter(isUnfinished)).toEqual(['b.0123abcd.unfinished']);
  }),
  TEST_LIMIT_MS,
);

test(
  'a backup with a trigger on a table of the service is refused by check, backup and restore until the trigger is gone',
  inWorkplace(async ({ database, file, files }) => {
    await createKey(database);
    await maintained(database, 'backup', file('good.db'));
    await runProgram(['cp', file('good.db'), file('evil.db')]);
    withFile(file('evil.db'), (evil) => {
      evil.run('CREATE TRIGGER wipe AFTER INSERT ON api_keys BEGIN DELETE FROM pets; END');
      evil.run('CREATE VIEW report AS SELECT 1');
    });
    const fault =
      'the trigger wipe on api_keys belongs to another program: remove it with DROP TRIGGER';
    const others =
      'animal-store: The database also contains objects of other programs, which are not checked: view report.\n';
    expect(await maintain(file('evil.db'), 'check')).toEqual({
      status: 1,
      stdout: `${fault}\n`,
      stderr: `${others}animal-store: 1 fault was found.\n`,
    });
    for (const args of [
      [database, 'restore', file('evil.db')],
      [file('evil.db'), 'backup', file('copy.db')],
    ] as const) {
      const [path, ...command] = args;
      const { status, stderr } = await maintain(path, ...command);
      expect(stderr).toStartWith(`animal-store: ${fault}\n`);
      expect(status).toBe(1);
    }
    expect(files().sort()).toEqual(['animals.db', 'evil.db', 'good.db']);
    withFile(file('evil.db'), (evil) => evil.run('DROP TRIGGER wipe'));
    const { status, stderr } = await maintain(database, 'restore', file('evil.db'));
    expect(stderr).toContain(others);
    expect(status).toBe(0);
  }),
  TEST_LIMIT_MS,
);
