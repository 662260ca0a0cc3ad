import { readFileSync, writeFileSync } from 'node:fs';
import { openScratch } from '../storage/postgres/scratch.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** Adds rules before those of the server (pg_hba.conf). The first rule that fits a connection applies. */
export async function addAccessRules(
  { sql }: PostgresServer,
  rules: readonly string[],
): Promise<void> {
  const [row] = await sql`SELECT current_setting('hba_file') AS file`;
  const file: string = row?.['file'];
  writeFileSync(file, `${rules.join('\n')}\n${readFileSync(file, 'utf8')}`);
  await sql`SELECT pg_reload_conf()`;
}

/** Adds a role that needs a password (SCRAM). */
export async function addPasswordRole(
  server: PostgresServer,
  role: string,
  password: string,
): Promise<void> {
  await addAccessRules(server, [`host all ${role} 127.0.0.1/32 scram-sha-256`]);
  await server.sql.unsafe(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD '${password}'`);
}

/** A database on the shared server, and its role `shop`, which needs a password. */
export async function openPasswordScratch(password: string) {
  const scratch = await openScratch();
  const { server } = scratch;
  await addPasswordRole(server, 'shop', password);
  const remove = async () => {
    await scratch.remove();
    await server.sql`DROP ROLE shop`;
  };
  return { ...scratch, remove };
}

/** A server of its own with such a role. */
export async function startPasswordServer(password: string): Promise<PostgresServer> {
  const server = await startPostgres();
  await addPasswordRole(server, 'shop', password);
  return server;
}
