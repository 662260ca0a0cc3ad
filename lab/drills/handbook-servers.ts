/** The servers of PostgreSQL that pages of the handbook show. */
import postgres from 'postgres';
import { handbookBlock } from '../../test/process/handbook.ts';
import { addAccessRules } from '../../test/support/password-server.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { animalStore } from '../../test/support/process.ts';

export interface Servers {
  /** The addresses of the page, and those of the servers. */
  readonly addresses: ReadonlyMap<string, string>;
  remove(): Promise<void>;
}

/** All roles but the superuser of the tests need their passwords. */
const RULES = [
  'host all postgres 127.0.0.1/32 trust',
  'host all all 127.0.0.1/32 scram-sha-256',
  'host replication postgres 127.0.0.1/32 trust',
];

/**
 * Starts two servers of these versions: `db.example`, with a catalogue and the roles of docs/access.md, and
 * `new-db.example`, which is new. A forgotten session of the owner stays open.
 */
export async function startServers(
  oldVersion: string,
  newVersion: string,
  { hasForgottenSession = false } = {},
): Promise<Servers> {
  const old = await startPostgres({ version: oldVersion });
  const fresh = await startPostgres({ version: newVersion });
  for (const server of [old, fresh]) await addAccessRules(server, RULES);
  const session = await fillStore(old);
  if (!hasForgottenSession) await session.end();
  return {
    addresses: new Map([
      ['new-db.example:5432', `127.0.0.1:${fresh.port}`],
      ['db.example:5432', `127.0.0.1:${old.port}`],
    ]),
    remove: async () => {
      await session.end();
      await Promise.all([old.remove(), fresh.remove()]);
    },
  };
}

/** Returns a session of the owner, which stays open. */
async function fillStore(server: PostgresServer): Promise<postgres.Sql> {
  for (const statement of handbookBlock('access', 'roles').split(/;\n/).slice(0, -1))
    await server.sql.unsafe(statement);
  const as = (role: string) => ({
    DATABASE_URL: server.url('store', { user: `${role}:PASSWORD` }),
  });
  await run(['migrate'], as('store_owner'));
  const owner = postgres(as('store_owner').DATABASE_URL, { max: 1 });
  for (const role of ['service', 'import', 'export', 'copy'])
    await owner.unsafe((await animalStore(['grants', '--role', `store_${role}`])).stdout);
  const animals = '{"name":"Rex","categoryId":1}\n{"name":"Mia","categoryId":2}\n';
  await run(['import', '-', '--format', 'ndjson'], as('store_import'), animals);
  await run(['keys', 'create', '--name', 'web shop'], as('store_service'));
  return owner;
}

async function run(args: readonly string[], variables: Record<string, string>, input = '') {
  const { status, stderr } = await animalStore(args, { variables, input });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
}
