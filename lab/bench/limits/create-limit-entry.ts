import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRows } from '../ours.ts';
import { BUN, LIMITS_FOLDER } from '../paths.ts';
import type { ServerEntry } from '../server.ts';

/** The limit of creations: Bun.serve and SQLite with group commit, in a catalogue of the service. */
export const createLimit: ServerEntry = {
  name: 'create-limit',
  title: 'Limit: Bun.serve with group commit',
  kind: 'limit',
  workloads: ['create-32', 'create-128'],
  basePath: '/v1',
  page: ['after', String],
  knownDifferences: [],
  async prepare({ workspace, folder, port, rows, responses }) {
    const database = join(folder, 'animals.db');
    await importRows(workspace, database, rows);
    const responseFile = join(folder, 'response.json');
    writeFileSync(responseFile, JSON.stringify(responses?.create));
    return {
      command: [BUN, join(LIMITS_FOLDER, 'create-limit.ts')],
      variables: { PORT: String(port), DATABASE: database, RESPONSE: responseFile },
    };
  },
};
