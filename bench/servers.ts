import { join } from 'node:path';
import { bunServe } from './limits/bun-serve-entry.ts';
import { nginx } from './limits/nginx.ts';
import { postgresDriver } from './limits/postgres-driver-entry.ts';
import { oursOnPostgres } from './ours-on-postgres.ts';
import { BUN, PEERS_FOLDER, ROOT } from './paths.ts';
import { type Launch, runWell } from './processes.ts';
import type { ServerEntry, Site } from './server.ts';
import { POSTGRES_WORKS, SQLITE_WORKS, type WorkName } from './work-names.ts';

/** The Node.js that the peers run on: their packages' binaries need a newer one than the project does. */
const NODE = join(PEERS_FOLDER, 'node/node_modules/.bin/node');

const folderOf = (name: string): string => join(PEERS_FOLDER, name);

/** What every peer is told by its environment. */
const settingsOf = async (site: Site, name: string): Promise<Record<string, string>> => ({
  PORT: String(site.port),
  API_KEY: site.key,
  DATABASE: join(site.folder, 'animals.db'),
  DATABASE_URL: (await site.postgres?.createDatabase(name)) ?? '',
  ROWS: site.rows.path,
});

interface PeerOptions extends Partial<ServerEntry> {
  readonly program?: string;
  /** What is run in its folder before it starts. */
  readonly build?: readonly string[];
}

/** A peer that does all works: its folder has a seed.ts and a server, and its pages begin after an id. */
const peer = (
  name: string,
  title: string,
  runtime: string,
  { program = 'server.ts', build, ...more }: PeerOptions = {},
): ServerEntry => ({
  name,
  title,
  kind: 'peer',
  works: SQLITE_WORKS,
  basePath: '/v1',
  page: ['after', String],
  packages: runtime === NODE ? ['node', name] : [name],
  differs: [],
  async prepare(site) {
    const cwd = folderOf(name);
    const variables = await settingsOf(site, name);
    if (build !== undefined) await runWell(site.place, { command: build, cwd });
    await runWell(site.place, { command: [runtime, 'seed.ts'], cwd, variables });
    return { command: [runtime, program], cwd, variables };
  },
  ...more,
});

const READS: readonly WorkName[] = ['hot-list', 'one-animal'];

/** All servers but ours, in the order of the tables. To add a peer, add a line. */
export const SERVERS: readonly ServerEntry[] = [
  bunServe,
  nginx,
  peer('elysia', 'Elysia + bun:sqlite', BUN),
  peer('fastify', 'Fastify + better-sqlite3', NODE),
  peer('express', 'Express + TypeORM', NODE),
  peer('nest', 'NestJS + better-sqlite3', NODE, {
    build: [NODE, 'node_modules/typescript/bin/tsc'],
    program: 'dist/server.js',
  }),
  peer('json-server', 'json-server', NODE, {
    works: READS,
    basePath: '',
    hotList: '/pets?_limit=20&status=available',
    differs: [
      { requests: /key$/, because: 'it knows no API keys' },
      { requests: /^list/, because: 'its limit is called _limit, and it refuses nothing' },
      { requests: /^animal (9|abc)/, because: 'its 404 has an empty body' },
      { requests: /^create/, because: 'it refuses nothing; its creations are not timed' },
    ],
    async prepare(site): Promise<Launch> {
      const cwd = folderOf('json-server');
      const variables = await settingsOf(site, 'json-server');
      await runWell(site.place, { command: [NODE, 'seed.ts'], cwd, variables });
      const program = 'node_modules/json-server/lib/cli/bin.js';
      const file = `${variables['DATABASE']}.json`;
      return { command: [NODE, program, '--quiet', '--port', String(site.port), file], cwd };
    },
  }),
  peer('prism', 'Prism, a mock of openapi.json', NODE, {
    works: READS,
    basePath: '',
    differs: [
      { requests: /./, because: 'it answers with the examples of the document, not a catalogue' },
    ],
    async prepare({ port }): Promise<Launch> {
      const program = 'node_modules/@stoplight/prism-cli/dist/index.js';
      const document = join(ROOT, 'openapi.json');
      const flags = ['--multiprocess', 'false', '--cors', 'false', '--verboseLevel', 'silent'];
      const command = [NODE, program, 'mock', '--port', String(port), ...flags, document];
      return { command, cwd: folderOf('prism') };
    },
  }),
  oursOnPostgres,
  postgresDriver,
  peer('elysia-postgres', 'Elysia + postgres.js', BUN, { works: POSTGRES_WORKS }),
  peer('fastify-pg', 'Fastify + pg', NODE, { works: POSTGRES_WORKS }),
];
