import { join } from 'node:path';
import { BUN, LIMITS_FOLDER } from '../paths.ts';
import type { ServerEntry } from '../server.ts';
import { withProcessorTime } from '../server-time.ts';
import type { Measured } from '../wrk.ts';

/** The limit of the driver without HTTP: the list query, 32 in flight. */
export const postgresDriver: ServerEntry = {
  name: 'postgres-driver',
  title: 'Limit: postgres.js alone, 32 in flight',
  kind: 'limit',
  workloads: ['pg-list'],
  basePath: '/v1',
  page: ['after', String],
  knownDifferences: [],
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
    return withProcessorTime(server, async () => {
      const response = await fetch(`${server.origin}/measure?seconds=${seconds}`);
      return response.json() as Promise<Omit<Measured, 'generatorLoad'>>;
    });
  },
};
