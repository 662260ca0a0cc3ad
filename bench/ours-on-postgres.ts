import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createKey, importRows, oursOn, serve } from './ours.ts';
import { ROOT } from './paths.ts';
import type { ServerEntry } from './server.ts';
import { POSTGRES_WORKLOADS } from './workload-names.ts';

const ENGINE = join(ROOT, 'src/storage/postgres/open.ts');

/** Our server on PostgreSQL. Older versions do not support it. */
export const oursOnPostgres: ServerEntry = {
  ...oursOn('', 'ours-postgres', 'Animal Store on PostgreSQL'),
  workloads: POSTGRES_WORKLOADS,
  unavailableReason: () =>
    existsSync(ENGINE) ? undefined : 'this version of the service does not support PostgreSQL.',
  async prepare({ workspace, port, rows, postgres }) {
    const url = (await postgres?.createDatabase('ours')) ?? '';
    await importRows(workspace, url, rows);
    return { ...serve(url, port), key: await createKey(workspace, url) };
  },
};
