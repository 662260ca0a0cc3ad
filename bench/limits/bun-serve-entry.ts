import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUN, LIMITS_FOLDER } from '../paths.ts';
import type { ServerEntry } from '../server.ts';

/** What the runtime can do when it does nothing but answer. */
export const bunServe: ServerEntry = {
  name: 'bun-serve',
  title: 'Limit: bare Bun.serve, the same bytes',
  kind: 'limit',
  works: ['hot-list'],
  basePath: '/v1',
  page: ['after', String],
  packages: [],
  differs: [],
  async prepare({ folder, port, hotReply }) {
    const replyFile = join(folder, 'reply.json');
    writeFileSync(replyFile, JSON.stringify(hotReply));
    return {
      command: [BUN, join(LIMITS_FOLDER, 'bun-serve.ts')],
      variables: { PORT: String(port), REPLY: replyFile },
    };
  },
};
