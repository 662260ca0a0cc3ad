import { join } from 'node:path';
import { BUN, LIMITS_FOLDER } from '../paths.ts';
import type { Sample, ServerEntry } from '../server.ts';

/** What the driver can do without HTTP: the list query, 32 at a time. */
export const postgresDriver: ServerEntry = {
  name: 'postgres-driver',
  title: 'Limit: postgres.js alone, 32 in flight',
  kind: 'limit',
  works: ['pg-list'],
  basePath: '/v1',
  page: ['after', String],
  packages: [],
  differs: [],
  async prepare({ port, rows, postgres }) {
    return {
      command: [BUN, join(LIMITS_FOLDER, 'postgres-driver.ts')],
      variables: {
        PORT: String(port),
        ROWS: rows.path,
        DATABASE_URL: (await postgres?.createDatabase('driver')) ?? '',
      },
    };
  },
  async measure({ server, seconds }) {
    const response = await fetch(`${server.origin}/measure?seconds=${seconds}`);
    return response.json() as Promise<Sample>;
  },
};
