import { readFileSync, writeFileSync } from 'node:fs';
import type { PostgresServer } from './postgres-server.ts';

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

/** Adds the role `shop`, which needs a password (SCRAM). */
export async function addShop(server: PostgresServer, password: string): Promise<void> {
  await addAccessRules(server, ['host all shop 127.0.0.1/32 scram-sha-256']);
  await server.sql.unsafe(`CREATE ROLE shop LOGIN SUPERUSER PASSWORD '${password}'`);
}
