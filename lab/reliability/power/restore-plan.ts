import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StorageError } from '../../../src/storage/database.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { createKey } from '../../../test/support/create-key.ts';
import { lineOf } from './acknowledgements.ts';
import { readCatalogue } from './catalogue.ts';
import { type Plan, programFaults, type Recorder, refusalOf } from './plan.ts';
import { BACKUP, EMPTY, fillAndKill, NAME, readCopy, run } from './prepared.ts';
import { recordCommand } from './record.ts';
import type { CrashState, Judge } from './states.ts';

/** A restore of a backup. */
interface Restore {
  /** The fingerprint of the database before. */
  readonly before: string;
  readonly backup: { readonly fingerprint: string; readonly generation: string };
  /** The line on which the command says that it is done. */
  readonly doneAt: number;
}

/** @param place what is at the place to which the backup is restored. */
const restoreTo =
  (place: 'nothing' | 'closed' | 'killed'): Recorder =>
  async (folder, random) => {
    const [database, backup] = [`${folder.root}/${NAME}`, `${folder.root}/${BACKUP}`];
    const source = folder.file('source.db');
    await fillAndKill(source, random);
    mkdirSync(dirname(backup));
    await run('backup', backup, '--database', source);
    if (place === 'closed') await createKey(database);
    if (place === 'killed') await fillAndKill(database, random);
    const before = place === 'nothing' ? EMPTY : readCopy(database).fingerprint;
    const { disk, sent } = await recordCommand(folder, ['restore', backup, '--database', database]);
    const restore = { before, backup: readCopy(backup), doneAt: lineOf(sent, 'Restored') };
    return { disk, judge: judgeOf(restore), figures: {} };
  };

const judgeOf =
  (restore: Restore): Judge =>
  async (state, isSample) => {
    const path = state.path(NAME);
    const isDone = restore.doneAt < state.loss.moment;
    const refusal = await refusalOf(path);
    if (refusal !== undefined) {
      if (isDone || !refusal.includes('was interrupted')) return [`refused: ${refusal}`];
      const problem = await restoreAgain(path, state.path(BACKUP));
      return problem ? [problem] : restoredFaults(path, restore, state);
    }
    const now = readCatalogue(path).fingerprint;
    const isOld = now === restore.before && !isDone;
    const found = isOld ? [] : restoredFaults(path, restore, state);
    return isSample ? [...found, ...(await programFaults(state, NAME, now !== EMPTY))] : found;
  };

function restoredFaults(path: string, { before, backup }: Restore, state: CrashState): string[] {
  const now = readCatalogue(path);
  if (now.fingerprint !== backup.fingerprint) return ['the database is not the backup'];
  if (now.generation === backup.generation) return ['the events have the old generation'];
  return replacedFaults(path, before, state);
}

/** Restores as the message of an interrupted restore says. Returns why that fails. */
async function restoreAgain(path: string, backup: string): Promise<string | undefined> {
  const options = {
    signal: new AbortController().signal,
    onProgress: () => {},
    onWarning: () => {},
  };
  try {
    await maintainSqlite(path).backups?.restore(backup, options);
    return undefined;
  } catch (error) {
    if (error instanceof StorageError) return `the next restore: ${error.message}`;
    throw error;
  }
}

/** The old database must be beside the new one. A file system that renames in another order may lose it. */
function replacedFaults(path: string, before: string, { loss }: CrashState): string[] {
  if (before === EMPTY || loss.nameChance !== undefined) return [];
  const replaced = readdirSync(dirname(path)).filter((name) => /-replaced-[^-]*Z$/.test(name));
  const isKept = replaced.some(
    (name) => readCatalogue(join(dirname(path), name)).fingerprint === before,
  );
  return isKept ? [] : ['the replaced database is missing'];
}

export const RESTORE_PLAN: Plan = {
  promise:
    'After a power failure in a restore, the old data or the backup are there, or a demanded repetition works.',
  method:
    'Restores to a new folder, over a database, and over one with the -wal of a killed service. If names are lost in their order, the old database must be beside the new one.',
  limitMinutes: 30,
  recordings: [restoreTo('nothing'), restoreTo('closed'), restoreTo('killed')],
  states: 2_400,
  mostlyNames: true,
  // The names of files have an ending.
  lies: (path) => !path.includes('.'),
  fault: 'the syncs of folders do nothing',
  names: /: (?:the database is not the backup|the replaced database is missing|refused: )/,
};
