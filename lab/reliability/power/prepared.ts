import { cpSync, existsSync } from 'node:fs';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { createKey } from '../../../test/support/create-key.ts';
import { animalStore, startService, withService } from '../../../test/support/process.ts';
import type { Random } from '../../../test/support/random.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { readCatalogue } from './catalogue.ts';
import { History } from './history.ts';
import { sendChanges } from './load.ts';

export const NAME = 'data/animals.db';
export const BACKUP = 'backups/animals.db';

/** A catalogue without anything. */
export const EMPTY = JSON.stringify([[], []]);

/** Runs a command that must succeed. */
export async function run(...args: readonly string[]): Promise<void> {
  const { status, stderr } = await animalStore(args);
  if (status !== 0) throw new Error(stderr);
}

/** Animals to import, as NDJSON. */
export const animals = (count: number, kind: string): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ name: `${kind} ${index}`, categoryId: index % 5, status: 'available' }),
  ).join('\n');

/** Fills a database by requests to a service, which is killed at last: the last changes are in the -wal. */
export async function fillAndKill(database: string, random: Random): Promise<void> {
  const key = await createKey(database, SCOPES);
  await withService(await startService(database, ['--log-level', 'error']), ({ origin }) =>
    sendChanges({ origin, key }, { clients: 4, requests: 20 }, new History(), random),
  );
}

/** Reads copies of a database's files, so that these stay as they are. */
export function readCopy(database: string) {
  const folder = temporaryFolder({ inMemory: true });
  try {
    for (const suffix of ['', '-wal'])
      if (existsSync(database + suffix)) cpSync(database + suffix, folder.file(`copy${suffix}`));
    return readCatalogue(folder.file('copy'));
  } finally {
    folder.remove();
  }
}
