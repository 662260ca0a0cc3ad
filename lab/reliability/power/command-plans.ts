import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createKey } from '../../../test/support/create-key.ts';
import { lineOf } from './acknowledgements.ts';
import { readCatalogue } from './catalogue.ts';
import { checkFaults, type Plan, programFaults, type Recorder, refusalOf } from './plan.ts';
import { animals, BACKUP, EMPTY, fillAndKill, NAME, readCopy, run } from './prepared.ts';
import { recordCommand } from './record.ts';
import type { CrashState, Judge } from './states.ts';

/** @param stored the animals before the import; 0: there is no file and no folder. */
const importOf =
  (stored: number, added: number): Recorder =>
  async (folder) => {
    const database = `${folder.root}/${NAME}`;
    const rows = folder.file('rows.ndjson');
    if (stored > 0) {
      await Bun.write(rows, animals(stored, 'stored'));
      await run('import', rows, '--database', database);
    }
    const before = stored > 0 ? readCatalogue(database).fingerprint : EMPTY;
    await Bun.write(rows, animals(added, 'added'));
    const { disk, sent } = await recordCommand(folder, ['import', rows, '--database', database]);
    const after = readCatalogue(database).fingerprint;
    const acknowledged = lineOf(sent, 'Imported');
    const judge: Judge = async (state, isSample) => {
      const path = state.path(NAME);
      const refusal = await refusalOf(path);
      if (refusal !== undefined) return [`refused: ${refusal}`];
      const { fingerprint, faults } = readCatalogue(path);
      const possible = acknowledged < state.loss.moment ? [after] : [before, after];
      const isPossible = possible.includes(fingerprint);
      const found = [
        ...(isPossible ? [] : ['the import is neither complete nor absent']),
        ...faults,
      ];
      const exists = fingerprint !== EMPTY;
      return isSample ? [...found, ...(await programFaults(state, NAME, exists))] : found;
    };
    return { disk, judge, figures: {} };
  };

/** @param replaces whether there is a backup already, and the service of the database was killed. */
const backupThat =
  (replaces: boolean): Recorder =>
  async (folder, random) => {
    const [database, backup] = [`${folder.root}/${NAME}`, `${folder.root}/${BACKUP}`];
    mkdirSync(dirname(backup));
    await createKey(database);
    if (replaces) {
      await run('backup', backup, '--database', database);
      await fillAndKill(database, random);
    }
    const before = replaces ? readCopy(backup).fingerprint : undefined;
    const args = ['--database', database, ...(replaces ? ['--replace'] : [])];
    const { disk, sent } = await recordCommand(folder, ['backup', backup, ...args]);
    const { fingerprint } = readCopy(database);
    const acknowledged = lineOf(sent, 'Backed up');
    const backupFaults = async (path: string, isComplete: boolean): Promise<string[]> => {
      const found = existsSync(path) ? readCatalogue(path).fingerprint : undefined;
      if (found !== fingerprint && (isComplete || found !== before))
        return [
          `the backup is ${found === undefined ? 'missing' : 'neither the old nor the new one'}`,
        ];
      return found === undefined ? [] : checkFaults(path);
    };
    const judge: Judge = async (state, isSample) => {
      const path = state.path(NAME);
      const isComplete = acknowledged < state.loss.moment;
      const found = await backupFaults(state.path(BACKUP), isComplete);
      const refusal = await refusalOf(path);
      if (refusal !== undefined) return [...found, `refused: ${refusal}`];
      if (readCatalogue(path).fingerprint !== fingerprint) found.push('the database has changed');
      if (!isSample) return found;
      found.push(...(await programFaults(state, NAME)));
      return [...found, ...(await repeatedBackupFaults(state, fingerprint))];
    };
    return { disk, judge, figures: {} };
  };

/** Backs up again, which must work, and remove what the power failure left. */
async function repeatedBackupFaults(state: CrashState, fingerprint: string): Promise<string[]> {
  state.reset();
  const backup = state.path(BACKUP);
  mkdirSync(dirname(backup), { recursive: true });
  await run('backup', backup, '--replace', '--database', state.path(NAME));
  const others = readdirSync(dirname(backup)).filter((name) => name !== basename(backup));
  const isComplete = readCatalogue(backup).fingerprint === fingerprint && others.length === 0;
  return isComplete ? [] : [`the next backup is wrong, or leaves ${others}`];
}

/** The trials of the commands. */
export const COMMAND_PLANS: Readonly<Record<string, Plan>> = {
  import: {
    promise: 'After a power failure in an import, all of its animals are there or none.',
    method:
      'Imports of 200 animals into 1,000, of 1,500 into 100, and of 500 into a new file in a new folder.',
    limitMinutes: 30,
    recordings: [importOf(1_000, 200), importOf(100, 1_500), importOf(0, 500)],
    states: 1_200,
    lies: (path) => path.includes(NAME),
    fault: 'the syncs of the database file and its -wal do nothing',
    names: /: (?:the import is neither complete nor absent|refused: )/,
  },
  backup: {
    promise: 'A power failure during a backup leaves the old backup or the new one, complete.',
    method:
      'Backups to a new file, and over an earlier backup while the -wal of a killed service is there. The database must stay as it is. For one state in 40, another backup is made, which must remove what is left.',
    limitMinutes: 30,
    recordings: [backupThat(false), backupThat(true)],
    states: 1_200,
    mostlyNames: true,
    lies: (path) => path.includes('/backups/'),
    fault: 'the syncs of the copy do nothing',
    names: /: the backup is (?:missing|neither the old nor the new one)/,
  },
};
