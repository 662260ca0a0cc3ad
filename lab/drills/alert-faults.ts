import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import type { Scratch } from '../../test/storage/postgres/scratch.ts';
import { importPets } from '../../test/support/catalogue.ts';
import { bearer, postPet, type RunningService } from '../../test/support/process.ts';

const REX = { name: 'Rex', categoryId: 1 };

/** Adds an animal with a long name. Resolves with the status. */
export const add = ({ origin, firstKey = '' }: RunningService): Promise<number> =>
  postPet(origin, firstKey, { ...REX, name: 'x'.repeat(100) }).then(({ status }) => status);

export const get = ({ origin, firstKey = '' }: RunningService, id: number) =>
  fetch(`${origin}/v1/pets/${id}`, bearer(firstKey));

/** Fills a new file with animals. */
export async function fillFile(path: string, animals: number): Promise<void> {
  const database = openSqlite(path);
  await importPets(database, Array(animals).fill(REX));
  await database.close();
}

/** Leaves no space on the disk of a folder. */
export function fillDisk(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(bavail * bsize));
}

/** Deletes animals while another session locks their table, so that all requests must wait. */
export const deleteLocked = (
  { origin, firstKey = '' }: RunningService,
  { sql }: Scratch,
  requests: number,
): Promise<unknown> =>
  sql.begin(async (transaction) => {
    await transaction`LOCK TABLE animal_store.pets IN ACCESS EXCLUSIVE MODE`;
    const ids = Array.from({ length: requests }, (_, index) => index + 1);
    const remove = (id: number) =>
      fetch(`${origin}/v1/pets/${id}`, { method: 'DELETE', ...bearer(firstKey) });
    await Promise.all(ids.map(remove));
  });
