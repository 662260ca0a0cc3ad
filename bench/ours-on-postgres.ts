import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importRows, makeKey, oursOn, serve } from './ours.ts';
import { ROOT } from './paths.ts';
import type { ServerEntry } from './server.ts';
import { POSTGRES_WORKS } from './work-names.ts';

const ENGINE = join(ROOT, 'src/storage/postgres/open.ts');

/** Our server on PostgreSQL, as soon as it can. */
export const oursOnPostgres: ServerEntry = {
  ...oursOn('', 'ours-postgres', 'Animal Store on PostgreSQL'),
  works: POSTGRES_WORKS,
  missing: () => (existsSync(ENGINE) ? undefined : 'the service cannot use PostgreSQL yet.'),
  async prepare({ place, port, rows, postgres }) {
    const url = (await postgres?.createDatabase('ours')) ?? '';
    await importRows(place, url, rows);
    return { ...serve(url, port), key: await makeKey(place, url) };
  },
};
