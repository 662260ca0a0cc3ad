/** A server with TLS, certificates, and roles with different rules of access. */
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '../../../src/storage/postgres/connections/connection.ts';
import { deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import type { TlsFiles } from '../../../src/storage/postgres/connections/tls.ts';
import { createAuthority } from '../../support/certificates.ts';
import { addAccessRules } from '../../support/password-server.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Target {
  readonly user?: string;
  readonly host?: string;
  readonly database?: string;
}

export type TlsServer = Awaited<ReturnType<typeof startTlsServer>>;

export async function startTlsServer() {
  const trusted = createAuthority('trusted');
  const folder = temporaryFolder();
  const file = (name: string, content: string): string => {
    writeFileSync(folder.file(name), content);
    return folder.file(name);
  };
  const client = trusted.issue({ name: 'certified' });
  const files = {
    caFile: file('ca.pem', trusted.certificate),
    /** Of another authority with the same name. */
    otherCaFile: file('other.pem', createAuthority('trusted').certificate),
    certificateFile: file('client.pem', client.certificate),
    keyFile: file('client.key', client.key),
  };
  const server = await startPostgres();
  const { sql } = server;

  /** Gives the server a certificate. New connections use it. */
  async function setCertificate({ expired }: { expired: boolean }): Promise<void> {
    const { certificate, key } = trusted.issue({ name: 'server', hosts: ['localhost'], expired });
    const [row] = await sql`SHOW data_directory`;
    const data: string = row?.['data_directory'];
    const { uid, gid } = statSync(data);
    for (const [name, text] of Object.entries({
      'server.crt': certificate,
      'server.key': key,
      'root.crt': trusted.certificate,
    })) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      chownSync(join(data, name), uid, gid);
    }
    await sql`ALTER SYSTEM SET ssl = on`;
    await sql`ALTER SYSTEM SET ssl_ca_file = 'root.crt'`;
    await sql`SELECT pg_reload_conf()`;
  }

  const urlOf = (parameters: string, { user, host, database }: Target = {}): string =>
    `postgres://${user ?? 'postgres'}@${host ?? 'localhost'}:${server.port}/${database ?? 'postgres'}${parameters}`;

  /** Connects, and resolves with whether client and server say that the connection uses TLS. */
  async function encryption(parameters: string, tlsFiles: TlsFiles = {}, target?: Target) {
    const options = { prepared: true, serverTimeoutMs: undefined, tlsFiles };
    const connection = new Connection({ ...options, url: urlOf(parameters, target) });
    try {
      const [row] = await connection.query<{ ssl: boolean }>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
        [],
        deadlineIn(10_000),
      );
      return { client: connection.isEncrypted, server: row?.ssl };
    } finally {
      connection.destroy();
    }
  }

  await setCertificate({ expired: false });
  await addAccessRules(server, [
    'hostssl all certified 127.0.0.1/32 cert',
    'hostssl all tls_only 127.0.0.1/32 trust',
    'hostnossl all tls_only 127.0.0.1/32 reject',
  ]);
  for (const role of ['certified', 'tls_only', 'limited']) {
    await sql.unsafe(`CREATE ROLE ${role} LOGIN`);
  }
  await sql`ALTER ROLE limited CONNECTION LIMIT 0`;
  await sql`CREATE DATABASE closed`;
  await sql`REVOKE CONNECT ON DATABASE closed FROM PUBLIC`;
  await until(async () => (await encryption('')).client);
  return {
    server,
    folder,
    files,
    setCertificate,
    urlOf,
    encryption,
    async remove() {
      await server.remove();
      folder.remove();
    },
  };
}
