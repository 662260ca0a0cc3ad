/** The sentence of each failure of a connection, with real servers. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { StorageError } from '../../../src/storage/database.ts';
import { Connection } from '../../../src/storage/postgres/connections/connection.ts';
import { deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import type { TlsFiles } from '../../../src/storage/postgres/connections/tls.ts';
import { ConnectionLost } from '../../../src/storage/postgres/failures.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { startForwarder } from '../../support/forwarder.ts';
import { ascending } from '../../support/list-query.ts';
import { type PostgresServer, sharedPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';
import { failureOf, openMigratedScratch } from './scratch.ts';
import { startTlsServer, type TlsServer } from './tls-server.ts';

let tls: TlsServer;
let withoutTls: PostgresServer;
beforeAll(async () => {
  [tls, withoutTls] = await Promise.all([startTlsServer(), sharedPostgres()]);
});
afterAll(() => tls.remove());

/** Returns the port. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('a failure says which part is wrong', () => {
  const failure = (url: string, tlsFiles: TlsFiles = {}): Promise<StorageError> =>
    failureOf(openPostgres(url, { tlsFiles }));

  const FAILURES: Readonly<Record<string, [sentence: string, () => string, (() => TlsFiles)?]>> = {
    'TLS is not offered': [
      'does not offer TLS, which sslmode=require requires',
      () => `${withoutTls.url()}?sslmode=require`,
    ],
    'TLS is required': [
      'without TLS: use TLS (sslmode=require or stronger)',
      () => tls.urlOf('?sslmode=disable', { user: 'tls_only' }),
    ],
    'the authority is unknown': [
      'is not signed by a trusted authority: set DATABASE_CA_FILE',
      () => tls.urlOf('?sslmode=verify-full'),
    ],
    'the authority is another one': [
      'is not signed by a trusted authority',
      () => tls.urlOf('?sslmode=require'),
      () => ({ caFile: tls.files.otherCaFile }),
    ],
    'the host differs': [
      'is not for the name 127.0.0.1',
      () => tls.urlOf('', { host: '127.0.0.1' }),
      () => ({ caFile: tls.files.caFile }),
    ],
    'the authority is none of the system': [
      'is not signed by a trusted authority',
      () => tls.urlOf('?sslrootcert=system'),
    ],
    'verify-ca lacks authorities': ['set DATABASE_CA_FILE', () => tls.urlOf('?sslmode=verify-ca')],
    'verify-ca has those of the system': [
      'requires the certificates of an authority',
      () => tls.urlOf('?sslmode=verify-ca'),
      () => ({ caFile: 'system' }),
    ],
    'the key is missing': [
      'requires both DATABASE_CERT_FILE and DATABASE_KEY_FILE',
      () => tls.urlOf('?sslmode=require'),
      () => ({ certificateFile: tls.files.certificateFile }),
    ],
    'a file is missing': [
      'the file /none.pem cannot be read (ENOENT)',
      () => tls.urlOf('?sslmode=verify-full'),
      () => ({ caFile: '/none.pem' }),
    ],
    'a file is not PEM': [
      'contains no certificate and no key in PEM',
      () => tls.urlOf('?sslmode=require'),
      () => ({ certificateFile: import.meta.path, keyFile: tls.files.keyFile }),
    ],
    'the key belongs to another certificate': [
      'The database cannot be reached: ',
      () => tls.urlOf('?sslmode=require'),
      () => ({ certificateFile: tls.files.caFile, keyFile: tls.files.keyFile }),
    ],
    'a client certificate is required': [
      'requires a client certificate: set DATABASE_CERT_FILE',
      () => tls.urlOf('?sslmode=require', { user: 'certified' }),
    ],
    'the role does not exist': [
      'The role "none" does not exist.',
      () => tls.urlOf('', { user: 'none' }),
    ],
    'the database does not exist': [
      'The database "none" does not exist.',
      () => tls.urlOf('', { database: 'none' }),
    ],
    'the role may not connect to the database': [
      'has no right to connect to the database "closed"',
      () => tls.urlOf('', { database: 'closed', user: 'tls_only' }),
    ],
    'the connections of the role are used up': [
      'The database cannot be used: too many connections for role',
      () => tls.urlOf('', { user: 'limited' }),
    ],
    'the name does not resolve': [
      `the name ${'a'.repeat(64)} does not resolve`,
      () => `postgres://a@${'a'.repeat(64)}/b`,
    ],
    'no server listens': ['127.0.0.1:1 refuses connections', () => 'postgres://a@127.0.0.1:1/b'],
    'there is no socket': [
      'there is no Unix socket /none/.s.PGSQL.5432',
      () => 'postgres://a@/b?host=/none',
    ],
  };

  test.each(Object.entries(FAILURES))('%s', async (_what, [sentence, url, files]) => {
    const { message } = await failure(url(), files?.());
    expect(message).toContain(sentence);
    expect(message).toMatch(/^[A-Z].*\.$/);
  });

  test('the server does not respond', async () => {
    const silent = createServer(() => {});
    const port = await listen(silent);
    for (const parameters of ['', '&sslmode=disable']) {
      const { message } = await failure(
        `postgres://a@127.0.0.1:${port}/b?connect_timeout=1${parameters}`,
      );
      expect(message).toContain(`127.0.0.1:${port} did not respond`);
    }
    silent.close();
  });

  test.each([
    ['has more than one byte', 'SXX', 'did not respond to the request for TLS as PostgreSQL does'],
    ['is empty', '', 'The server closed the connection'],
  ])('the response to the request for TLS %s', async (_what, response, sentence) => {
    const answering = createServer((socket) => socket.once('data', () => socket.end(response)));
    const port = await listen(answering);
    expect((await failure(`postgres://a@127.0.0.1:${port}/b`)).message).toContain(sentence);
    answering.close();
  });

  test('the connection is reset, with the error of the system as the cause', async () => {
    const resetting = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const port = await listen(resetting);
    const { cause } = await failure(`postgres://a@127.0.0.1:${port}/b?sslmode=disable`);
    expect(cause).toBeInstanceOf(ConnectionLost);
    expect((cause as ConnectionLost).cause).toMatchObject({ code: 'ECONNRESET' });
    resetting.close();
  });

  test('the connection is closed before its use, and not opened again', async () => {
    let opened = 0;
    const closing = createServer((socket) => socket.end(() => (opened += 1)).resume());
    const port = await listen(closing);
    const url = `postgres://a@127.0.0.1:${port}/b?sslmode=disable`;
    const connection = new Connection({ url, prepared: true, serverTimeoutMs: 0 });
    await expect(connection.query('SELECT 1', [], deadlineIn(5_000))).rejects.toThrow('was closed');
    expect(opened).toBe(1);
    closing.close();
  });

  test('the certificate has expired', async () => {
    await tls.setCertificate({ expired: true });
    await until(async () => {
      const opened = openPostgres(tls.urlOf(''), { tlsFiles: { caFile: tls.files.caFile } });
      const outcome = await opened.then((database) => database.close(), String);
      return String(outcome).includes('has expired');
    });
  });
});

test('a statement without a response closes the idle connections, which are probably dead, too', async () => {
  const scratch = await openMigratedScratch();
  const forwarder = await startForwarder(scratch.server);
  const url = scratch.server.url(scratch.name, { port: forwarder.port });
  const database = await scratch.open({ connections: 10 }, url);
  const patient = await scratch.open({ timeoutMs: 60_000 }, url);
  const list = async () => database.read.pets.list(ascending({ id: [1] }), undefined, 10);
  const open = () => database.measure().pools?.find(({ name }) => name === 'read')?.open ?? 0;
  await Promise.all(Array.from({ length: 5 }, list));
  expect(open()).toBe(5);
  forwarder.blackhole(true);
  // It has one second of its 20.
  using _clock = spyOn(performance, 'now').mockReturnValueOnce(performance.now() - 19_000);
  await failureOf(list());
  expect(open()).toBeLessThan(2);
  const { message } = await failureOf(Promise.resolve(patient.checkHealth()));
  expect(message).toBe('The database did not respond within 600 ms.');
  await forwarder.close();
  await scratch.remove();
});
