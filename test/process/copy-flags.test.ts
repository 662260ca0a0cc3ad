/** What `copy` refuses before it copies. */
import { expect, test } from 'bun:test';
import { linkSync, symlinkSync } from 'node:fs';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { animalStore, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { expectRefused } from './maintained.ts';

const place = useEach(workplace);

const PASSWORD = 'sw0rdf1sh';
const SHOP = `postgres://shop:${PASSWORD}`;
const NOWHERE = `${SHOP}@127.0.0.1:1/store`;
const DIFFERENT = '--from and --to must be different databases.';
const ALLOWED = 'must be a path or a file: URL of a file on a local disk, or a URL such as';

test.each<[string, 1 | 2, readonly [from: string, to: string], string]>([
  ['named by the same URL', 2, [NOWHERE, NOWHERE], DIFFERENT],
  ['a symbolic link to the source', 2, ['a.db', 'symbolic.db'], DIFFERENT],
  ['a hard link to the source', 2, ['a.db', 'hard.db'], DIFFERENT],
  ['not a valid URL', 2, [`${SHOP}@host`, 'b.db'], '--from is not valid: it names no database'],
  ['of another kind', 2, ['a.db', `mysql://shop:${PASSWORD}@host/store`], `--to ${ALLOWED}`],
  ['an unreachable source', 1, [NOWHERE, 'b.db'], 'The database cannot be reached'],
  ['an unreachable target', 1, ['a.db', NOWHERE], 'The database cannot be reached'],
])(
  'a database that is %s exits with status %i and one sentence, and creates nothing',
  async (_what, expected, [from, to], sentence) => {
    const { path, file, files } = place;
    await openSqlite(file('a.db')).close();
    symlinkSync('a.db', file('symbolic.db'));
    linkSync(file('a.db'), file('hard.db'));
    const before = files();
    const run = await animalStore(['copy', '--from', from, '--to', to], { cwd: path });
    expectRefused(run, sentence, expected);
    expect(run.stderr).not.toContain(PASSWORD);
    expect(files()).toEqual(before);
  },
);
