import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUN, LIMITS_FOLDER } from '../paths.ts';
import type { ServerEntry } from '../server.ts';

/** The limit of the runtime: it only sends responses. */
export const bunServe: ServerEntry = {
  name: 'bun-serve',
  title: 'Limit: bare Bun.serve, the same bytes',
  kind: 'limit',
  workloads: ['hot-list'],
  basePath: '/v1',
  page: ['after', String],
  packages: [],
  knownDifferences: [],
  async prepare({ folder, port, responses }) {
    const responseFile = join(folder, 'response.json');
    writeFileSync(responseFile, JSON.stringify(responses?.hotList));
    return {
      command: [BUN, join(LIMITS_FOLDER, 'bun-serve.ts')],
      variables: { PORT: String(port), RESPONSE: responseFile },
    };
  },
};
