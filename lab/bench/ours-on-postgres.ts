import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createKey, importRows, oursOn, serve } from './ours.ts';
import { ROOT } from './paths.ts';
import type { ServerEntry } from './server.ts';
import { POSTGRES_WORKLOADS } from './workload-names.ts';

const ENGINE = join(ROOT, 'src/storage/postgres/open.ts');

/** Our server on PostgreSQL, in a new database of this name. Older versions do not support it. */
export const oursOnPostgresAs = (
  name: string,
  title: string,
  flags: readonly string[] = [],
): ServerEntry => ({
  ...oursOn('', name, title),
  workloads: POSTGRES_WORKLOADS,
  unavailableReason: () =>
    existsSync(ENGINE) ? undefined : 'this version of the service does not support PostgreSQL.',
  async prepare({ workspace, port, rows, postgres }) {
    const url = (await postgres?.createDatabase(name)) ?? '';
    await importRows(workspace, url, rows);
    return { ...serve(url, port, flags), key: await createKey(workspace, url) };
  },
});

export const oursOnPostgres = oursOnPostgresAs('ours-postgres', 'Animal Store on PostgreSQL');
