import { join } from 'node:path';
import { missingPackages, PACKAGES } from '../installed.ts';
import { bunServe, bunServe100 } from './limits/bun-serve-entry.ts';
import { createLimit } from './limits/create-limit-entry.ts';
import { nginx, nginx100 } from './limits/nginx.ts';
import { postgresDriver } from './limits/postgres-driver-entry.ts';
import { oursOnPostgres } from './ours-on-postgres.ts';
import { BUN, PEERS_FOLDER, ROOT } from './paths.ts';
import { type Launch, runOrFail } from './processes.ts';
import type { ServerEntry, ServerSetup } from './server.ts';
import { POSTGRES_WORKLOADS, SQLITE_WORKLOADS, type WorkloadName } from './workload-names.ts';

/** The Node.js of the peers: the binaries of their packages need a newer version than the project. */
const NODE = join(PACKAGES, 'node-26/bin/node');

const folderOf = (name: string): string => join(PEERS_FOLDER, name);

/** The environment variables of every peer. */
const settingsOf = async (site: ServerSetup, name: string): Promise<Record<string, string>> => ({
  PORT: String(site.port),
  API_KEY: site.key,
  DATABASE: join(site.folder, 'animals.db'),
  DATABASE_URL: (await site.postgres?.createDatabase(name)) ?? '',
  ROWS: site.rows.path,
});

interface PeerOptions extends Partial<ServerEntry> {
  readonly program?: string;
  /** The command that builds it, in its folder. */
  readonly build?: readonly string[];
}

/** A peer with all workloads on SQLite. Its folder has a seed.ts and a server; its pages begin after an id. */
const peer = (
  name: string,
  title: string,
  runtime: string,
  { program = 'server.ts', build, ...more }: PeerOptions = {},
): ServerEntry => ({
  name,
  title,
  kind: 'peer',
  workloads: SQLITE_WORKLOADS,
  basePath: '/v1',
  page: ['after', String],
  unavailableReason: missingPackages,
  knownDifferences: [],
  async prepare(site) {
    const cwd = folderOf(name);
    const variables = await settingsOf(site, name);
    if (build !== undefined) await runOrFail(site.workspace, { command: build, cwd });
    await runOrFail(site.workspace, { command: [runtime, 'seed.ts'], cwd, variables });
    return { command: [runtime, program], cwd, variables };
  },
  ...more,
});

const READS: readonly WorkloadName[] = ['hot-list', 'one-animal'];

/** All servers but ours on SQLite, in the order of the tables. To add a peer, add a line. */
export const SERVERS: readonly ServerEntry[] = [
  bunServe,
  nginx,
  bunServe100,
  nginx100,
  createLimit,
  peer('elysia', 'Elysia + bun:sqlite', BUN),
  peer('elysia-logged', 'Elysia with log and tags', BUN, {
    workloads: ['one-animal'],
    async prepare(site): Promise<Launch> {
      const cwd = folderOf('elysia');
      const variables = { ...(await settingsOf(site, 'elysia')), LOG_AND_TAGS: '1' };
      await runOrFail(site.workspace, { command: [BUN, 'seed.ts'], cwd, variables });
      return { command: [BUN, 'server.ts'], cwd, variables };
    },
  }),
  peer('fastify', 'Fastify + better-sqlite3', NODE),
  peer('express', 'Express + TypeORM', NODE),
  peer('nest', 'NestJS + better-sqlite3', NODE, {
    build: [NODE, join(PACKAGES, 'typescript/bin/tsc')],
    program: 'dist/server.js',
  }),
  peer('json-server', 'json-server', NODE, {
    workloads: [...READS, 'hot-list-100'],
    basePath: '',
    hotList: '/pets?_limit=20&status=available',
    knownDifferences: [
      { requests: /key$/, reason: 'it has no API keys' },
      { requests: /^list/, reason: 'its limit is called _limit, and it validates nothing' },
      { requests: /^animal (9|abc)/, reason: 'its 404 has an empty body' },
      { requests: /^create/, reason: 'it validates nothing; its creations are not measured' },
    ],
    async prepare(site): Promise<Launch> {
      const cwd = folderOf('json-server');
      const variables = await settingsOf(site, 'json-server');
      await runOrFail(site.workspace, { command: [NODE, 'seed.ts'], cwd, variables });
      const program = join(PACKAGES, 'json-server/lib/cli/bin.js');
      const file = `${variables['DATABASE']}.json`;
      return { command: [NODE, program, '--quiet', '--port', String(site.port), file], cwd };
    },
  }),
  peer('prism', 'Prism, a mock of openapi.json', NODE, {
    workloads: READS,
    basePath: '',
    knownDifferences: [
      { requests: /./, reason: 'it sends the examples of the document, not a catalogue' },
    ],
    async prepare({ port }): Promise<Launch> {
      const program = join(PACKAGES, '@stoplight/prism-cli/dist/index.js');
      const document = join(ROOT, 'openapi.json');
      const flags = ['--multiprocess', 'false', '--cors', 'false', '--verboseLevel', 'silent'];
      const command = [NODE, program, 'mock', '--port', String(port), ...flags, document];
      return { command };
    },
  }),
  oursOnPostgres,
  postgresDriver,
  peer('elysia-postgres', 'Elysia + postgres.js', BUN, { workloads: POSTGRES_WORKLOADS }),
  peer('fastify-pg', 'Fastify + pg', NODE, { workloads: POSTGRES_WORKLOADS }),
];
