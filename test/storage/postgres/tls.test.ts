/** TLS, client certificates and sockets, with a real server. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Connection } from '../../../src/storage/postgres/connections/connection.ts';
import { deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import type { TlsFiles } from '../../../src/storage/postgres/connections/tls.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { EVERY } from '../../support/list-query.ts';
import { animalStore, ONE_SENTENCE, until } from '../../support/process.ts';
import { useShared } from '../../support/use-each.ts';
import { startTlsServer } from './tls-server.ts';

const tls = useShared(() => startTlsServer());

type FileNames = readonly ('caFile' | 'otherCaFile')[];

const filesOf = ([name]: FileNames): TlsFiles =>
  name === undefined ? {} : { caFile: tls.files[name] };

const both = (encrypted: boolean) => ({ client: encrypted, server: encrypted });

describe('a connection', () => {
  test.each<[string, boolean, FileNames, string, string?]>([
    ['without sslmode uses TLS if the server offers it', true, [], ''],
    ['with prefer, too', true, [], '?sslmode=prefer'],
    ['with disable does not', false, [], '?sslmode=disable'],
    ['with disable ignores the certificates', false, ['caFile'], '?sslmode=disable'],
    ['with require does not verify the certificate', true, [], '?sslmode=require'],
    ['with require verifies it if there are authorities', true, ['caFile'], '?sslmode=require'],
    ['with verify-ca verifies it', true, ['caFile'], '?sslmode=verify-ca'],
    ['with verify-ca accepts another host', true, ['caFile'], '?sslmode=verify-ca', '127.0.0.1'],
    ['with verify-full also verifies the host', true, ['caFile'], '?sslmode=verify-full'],
    ['with authorities uses verify-full', true, ['caFile'], ''],
    ['reads sslrootcert of the URL', true, [], '?sslmode=verify-full&sslrootcert=CA'],
    ['prefers sslrootcert', true, ['otherCaFile'], '?sslrootcert=CA'],
  ])('%s', async (_what, encrypted, files, parameters, host = 'localhost') => {
    const url = parameters.replace('CA', tls.files.caFile);
    expect(await tls.encryption(url, filesOf(files), { host })).toEqual(both(encrypted));
  });

  test('uses a client certificate, from the settings or the URL', async () => {
    const { caFile, certificateFile, keyFile } = tls.files;
    const user = 'certified';
    const bySettings = { caFile, certificateFile, keyFile };
    expect(await tls.encryption('', bySettings, { user })).toEqual(both(true));
    const parameters = `?sslmode=require&sslcert=${certificateFile}&sslkey=${keyFile}`;
    const others = { certificateFile: caFile, keyFile: caFile };
    expect(await tls.encryption(parameters, others, { user })).toEqual(both(true));
  });

  test('begins with TLS if the URL says so, from PostgreSQL 17 on', async () => {
    const [row] = await tls.server.sql`SHOW server_version_num`;
    if (Number(row?.['server_version_num']) < 170_000) return;
    const parameters = '?sslnegotiation=direct&sslmode=verify-full';
    expect(await tls.encryption(parameters, filesOf(['caFile']))).toEqual(both(true));
  });

  test('has the name and the settings of the URL, but the required settings of the service', async () => {
    const url = tls.urlOf(
      '?application_name=shop&options=-c%20statement_timeout=7%20-c%20geqo=off',
    );
    const connection = new Connection({ url, prepared: true, serverTimeoutMs: 4_500 });
    const [row] = await connection.query(
      `SELECT current_setting('application_name') AS name, current_setting('geqo') AS geqo,
        current_setting('statement_timeout') AS timeout, (SELECT string_agg(setting, ' ' ORDER BY name DESC)
          FROM pg_settings WHERE name LIKE 'tcp_keepalives%') AS keepalives`,
      [],
      deadlineIn(10_000),
    );
    connection.destroy();
    const keepalives = '10 60 6';
    expect(row).toEqual({ name: 'shop', geqo: 'off', timeout: '4500ms', keepalives });
  });

  test('lasts longer than its attempt may take', async () => {
    const options = { url: tls.urlOf('?connect_timeout=1'), prepared: true, serverTimeoutMs: 0 };
    // Again if the attempt itself took so long.
    await until(async () => {
      const connection = new Connection(options);
      const slept = connection.query('SELECT pg_sleep(1.1)', [], deadlineIn(20_000));
      return slept.then(Boolean, () => false).finally(() => connection.destroy());
    });
  });

  test('says why the server closed it', async () => {
    const connection = new Connection({ url: tls.urlOf(''), prepared: true, serverTimeoutMs: 0 });
    const begin = 'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 1';
    await connection.query(begin, [], deadlineIn(10_000));
    await until(() => !connection.isOpen);
    const next = connection.query('SELECT 1', [], deadlineIn(10_000));
    await expect(next).rejects.toThrow('idle-in-transaction timeout');
  });

  test('works through a Unix socket and IPv6', async () => {
    const relay = (client: Socket) => {
      const upstream = connect(tls.server.port, '127.0.0.1');
      for (const socket of [client, upstream]) socket.on('error', () => {});
      client.pipe(upstream).pipe(client);
    };
    const bySocket = createServer(relay).listen(tls.folder.file('.s.PGSQL.5499'));
    const byAddress = createServer(relay).listen(0, '::1');
    await new Promise((resolve) => byAddress.once('listening', resolve));
    const { port } = byAddress.address() as AddressInfo;
    try {
      for (const url of [
        `postgres://postgres@:5499/postgres?host=${tls.folder.path}`,
        `postgres://postgres@${encodeURIComponent(tls.folder.path)}:5499/postgres?sslmode=require`,
        `postgres://postgres@[::1]:${port}/postgres`,
      ]) {
        const connection = new Connection({ url, prepared: true, serverTimeoutMs: undefined });
        expect(await connection.query('SELECT 1 AS one', [], deadlineIn(10_000))).toHaveLength(1);
        connection.destroy();
      }
    } finally {
      bySocket.close();
      byAddress.close();
    }
  });
});

describe('the files of the settings', () => {
  let database: string;
  beforeAll(async () => {
    database = await tls.server.createDatabase();
    await tls.server.sql.unsafe(`ALTER DATABASE ${database} OWNER TO certified`);
    const url = tls.urlOf('', { database, user: 'certified' });
    await (await openPostgres(url, { tlsFiles: tls.files })).close();
  });

  test.each([
    'export',
    'keys list',
    'usage',
    'status',
    'check',
    'check --repair',
    'migrate',
    'migrate --check',
  ])('are used by %s, which ends with status 1 and a sentence without them', async (command) => {
    const url = tls.urlOf('?sslmode=verify-full', { user: 'certified', database });
    const { caFile, otherCaFile, certificateFile, keyFile } = tls.files;
    const run = (files: Record<string, string>) =>
      animalStore(command.split(' '), { variables: { DATABASE_URL: url, ...files } });
    const clientFiles = { DATABASE_CERT_FILE: certificateFile, DATABASE_KEY_FILE: keyFile };
    for (const [files, sentence] of [
      [{}, 'set DATABASE_CA_FILE'],
      [{ ...clientFiles, DATABASE_CA_FILE: otherCaFile }, 'is not signed by a trusted authority'],
    ] as const) {
      const refused = await run(files);
      expect([refused.status, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(ONE_SENTENCE);
      expect(refused.stderr).toContain(sentence);
    }
    const accepted = await run({ ...clientFiles, DATABASE_CA_FILE: caFile });
    expect([accepted.status, accepted.stderr]).toEqual([0, expect.any(String)]);
  });
});

test('a connection with TLS that the server closes or resets is replaced', async () => {
  const database = await tls.server.createDatabase();
  const opened = await openPostgres(tls.urlOf('', { database }), { tlsFiles: filesOf(['caFile']) });
  try {
    const read = () => opened.read.pets.list(EVERY, undefined, 1);
    expect(await read()).toEqual([]);
    for (const _round of [1, 2, 3]) {
      await tls.server.sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = ${database}`;
      expect(await read()).toEqual([]);
    }
    await tls.server.restart();
    expect(await read()).toEqual([]);
    await opened.write(BY_TEST, ({ pets }) => pets.create({ name: 'Rex', categoryId: 1 }));
    expect(await read()).toHaveLength(1);
  } finally {
    await opened.close();
  }
});
