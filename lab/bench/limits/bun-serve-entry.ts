import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUN, LIMITS_FOLDER } from '../paths.ts';
import type { ServerEntry } from '../server.ts';
import type { WorkloadName } from '../workload-names.ts';

/** The limits of the runtime: they only send a hot list of 20 or 100 animals. */
export const bunServe = bunServeOf('bun-serve', 'hot-list', 'hotList');
export const bunServe100 = bunServeOf('bun-serve-100', 'hot-list-100', 'hotList100');

function bunServeOf(
  name: string,
  workload: WorkloadName,
  response: 'hotList' | 'hotList100',
): ServerEntry {
  return {
    name,
    title: 'Limit: bare Bun.serve, the same bytes',
    kind: 'limit',
    workloads: [workload],
    basePath: '/v1',
    page: ['after', String],
    knownDifferences: [],
    async prepare({ folder, port, responses }) {
      const responseFile = join(folder, 'response.json');
      writeFileSync(responseFile, JSON.stringify(responses?.[response]));
      return {
        command: [BUN, join(LIMITS_FOLDER, 'bun-serve.ts')],
        variables: { PORT: String(port), RESPONSE: responseFile },
      };
    },
  };
}
