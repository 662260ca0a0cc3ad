import { rmSync, truncateSync } from 'node:fs';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { withFile } from '../../test/process/maintained.ts';
import { type Content, contentOf, differing, faultsIn } from './content.ts';
import { deviations, type Effect, stateAfter } from './effect.ts';
import { type Finding, onFile, REPLACED, succeed, type Transaction } from './file-command.ts';
import { copyDatabase, firstSchema, killedService } from './file-places.ts';
import type { KilledCommand } from './killed-command.ts';

/** The effect of a transaction, found in a file. */
async function inspectEffect(path: string, before: Content, effect: Effect): Promise<Finding> {
  const faults = await faultsIn(path);
  const state = stateAfter(before, await contentOf(path), effect);
  return typeof state === 'string'
    ? { state, problems: faults }
    : { state: 'between', problems: [...faults, ...state] };
}

export const transactionOnFile = ({
  name,
  args,
  effect,
  isRepeatable = false,
}: Transaction): KilledCommand =>
  onFile({
    name,
    fault: 'an API key is deleted after the kill',
    names: /^api_keys: /,
    prepare: killedService,
    args: (place) => [...args, '--database', place.database],
    leaves: /(?!)/,
    inspect: ({ database }, before) => inspectEffect(database, before, effect),
    async again({ database }, before, { state }) {
      const failed =
        state === 'complete' && !isRepeatable
          ? []
          : await succeed([...args, '--database', database]);
      const content = await contentOf(database);
      return [...failed, ...(await faultsIn(database)), ...deviations(before, content, effect)];
    },
    plant: ({ database }) =>
      withFile(database, (connection) => connection.run('DELETE FROM api_keys WHERE id = 4')),
  });

const UNFINISHED = /(?:backup|animals)\.db\.animal-store-unfinished(?:-journal)?/;

const isSame = (one: Content, other: Content): boolean => differing(one, other).length === 0;

/** `backup --replace` over an earlier backup. */
export const BACKUP = onFile({
  name: 'backup',
  fault: 'the backup is cut short',
  names: /^check: /,
  async prepare() {
    const place = await killedService();
    await copyDatabase(place.file('first.db'), place.file('backup.db'));
    return place;
  },
  args: (place) => ['backup', '--replace', place.file('backup.db'), '--database', place.database],
  leaves: UNFINISHED,
  async inspect({ database, file }, before) {
    const damage = await faultsIn(file('backup.db'));
    if (damage.length > 0) return { state: 'between', problems: damage };
    const first = await contentOf(file('first.db'));
    const backup = await contentOf(file('backup.db'));
    const state = isSame(backup, before) ? 'complete' : 'unchanged';
    const problems = await faultsIn(database);
    if (state === 'unchanged' && !isSame(backup, first)) problems.push('the backup is another');
    if (!isSame(await contentOf(database), before)) problems.push('the database has changed');
    return { state, problems };
  },
  async again({ database, file }, before) {
    const failed = await succeed([
      'backup',
      '--replace',
      file('backup.db'),
      '--database',
      database,
    ]);
    const isComplete = isSame(await contentOf(file('backup.db')), before);
    return [...failed, ...(isComplete ? [] : ['the second backup is not complete'])];
  },
  plant: ({ file }) => truncateSync(file('backup.db'), 40_960),
});

/** `restore` of an earlier backup. */
export const RESTORE = onFile({
  name: 'restore',
  fault: 'the old database and the mark of the restore are deleted',
  names: /^no replaced file has the old database$/,
  prepare: killedService,
  args: (place) => ['restore', place.file('first.db'), '--database', place.database],
  leaves: new RegExp(`${UNFINISHED.source}|animals\\.db-restoring|${REPLACED}`),
  async inspect({ database, file }, before) {
    const refusal = refusalOf(database);
    if (refusal !== undefined) {
      const isDocumented = refusal.includes('run `animal-store restore FILE` again');
      return { state: 'between', problems: isDocumented ? [] : [refusal] };
    }
    const now = await contentOf(database);
    const state = isSame(now, before) ? 'unchanged' : 'complete';
    const problems = await faultsIn(database);
    if (state === 'complete' && !isSame(now, await contentOf(file('first.db'))))
      problems.push('the database is neither the old one nor the backup');
    return { state, problems };
  },
  async again({ database, file, files }, before) {
    const failed = await succeed(['restore', file('first.db'), '--database', database]);
    const problems = [...failed, ...(await faultsIn(database))];
    if (!isSame(await contentOf(database), await contentOf(file('first.db'))))
      problems.push('the restored database is not equal to the backup');
    const replaced = files().filter((name) => /^animals\.db-replaced-[^-]*$/.test(name));
    const contents = await Promise.all(replaced.map((name) => contentOf(file(name))));
    if (!contents.some((content) => isSame(content, before)))
      problems.push('no replaced file has the old database');
    return problems;
  },
  plant({ file, files }) {
    for (const name of files()) if (name.startsWith('animals.db')) rmSync(file(name));
  },
});

/** The message with which a start refuses a file. */
function refusalOf(database: string): string | undefined {
  try {
    openSqlite(database).close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** `migrate` of a file that the first version wrote. */
export const MIGRATE = onFile({
  name: 'migrate',
  fault: 'the first animal is deleted',
  names: /^the migrated rows differ$/,
  prepare: firstSchema,
  args: (place) => ['migrate', '--database', place.database],
  leaves: /(?!)/,
  async inspect({ database }, before) {
    const faults = await faultsIn(database);
    if (faults.length > 0) return { state: 'between', problems: faults };
    const isComplete = isSame(await contentOf(database), before);
    const problems = isComplete ? [] : ['the migrated rows differ'];
    return { state: 'between', problems };
  },
  async again({ database }, before) {
    const failed = await succeed(['migrate', '--database', database]);
    const isComplete = isSame(await contentOf(database), before);
    const faults = await faultsIn(database);
    return [...failed, ...faults, ...(isComplete ? [] : ['the migrated rows differ'])];
  },
  plant: ({ database }) =>
    withFile(database, (connection) => {
      connection.run('DELETE FROM pets WHERE id = (SELECT min(id) FROM pets)');
    }),
});

/** `copy` from one file to another. */
export const COPY = onFile({
  name: 'copy',
  fault: 'the target gets a row',
  names: /^the target has a part of the source$/,
  prepare: killedService,
  args: (place) => ['copy', '--from', place.database, '--to', place.file('target.db')],
  leaves: /(?!)/,
  async inspect({ database, file, has }, before) {
    const problems = await faultsIn(database);
    if (!isSame(await contentOf(database), before)) problems.push('the source has changed');
    const target = has('target.db') ? await contentOf(file('target.db')) : {};
    const isEmpty = Object.values(target).every(({ length }) => length === 0);
    if (isEmpty) return { state: 'unchanged', problems };
    problems.push(...(await faultsIn(file('target.db'))));
    if (!isSame(target, before)) problems.push('the target has a part of the source');
    return { state: 'complete', problems };
  },
  async again({ database, file }, before) {
    const failed = await succeed(['copy', '--from', database, '--to', file('target.db')]);
    const isComplete = isSame(await contentOf(file('target.db')), before);
    return [...failed, ...(isComplete ? [] : ['the target is not equal to the source'])];
  },
  plant({ file }) {
    const target = openSqlite(file('target.db'));
    target.close();
    withFile(file('target.db'), (connection) =>
      connection.run("INSERT INTO categories (id, name) VALUES (77, 'dogs')"),
    );
  },
});
