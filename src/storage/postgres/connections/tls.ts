import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import { failureOf } from '../../../observe/exception.ts';
import { StorageError } from '../../database.ts';
import type { PostgresAddress } from '../../postgres-url.ts';
import type { SslMode } from '../../postgres-url-parameters.ts';
import { ConnectionLost } from '../failures.ts';
import { explainNetworkError, nameOf } from './refusals.ts';

/** Paths of the files for TLS of all servers. A URL may name others. */
export interface TlsFiles {
  /** Certificates of the trusted authorities. */
  readonly caFile?: string | undefined;
  readonly certificateFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** `sslrootcert=system`: the authorities that the runtime trusts. */
const SYSTEM = 'system';

/** SSLRequest (postgresql.org/docs/current/protocol-message-formats.html): its length and its code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const ACCEPTED = 'S';
const DECLINED = 'N';

/** Whether connections to an address begin with TLS, or with the request for it. A Unix socket needs none. */
export const requestsTls = (address: PostgresAddress, files: TlsFiles): boolean =>
  !address.host.startsWith('/') && modeOf(address, files) !== 'disable';

function modeOf(address: PostgresAddress, files: TlsFiles): SslMode {
  if (address.sslMode !== undefined) return address.sslMode;
  return (address.caFile ?? files.caFile) === undefined ? 'prefer' : 'verify-full';
}

/**
 * Starts TLS on a new socket, and resolves with the encrypted socket. Resolves with the socket itself if the server
 * declines, and the address allows that. The files are read each time, so that they can be replaced at any time.
 * @throws ConnectionLost, or StorageError if the settings of TLS are wrong.
 */
export async function startTls(
  socket: Socket,
  address: PostgresAddress,
  files: TlsFiles,
): Promise<Socket> {
  const mode = modeOf(address, files);
  const options = tlsOptions(mode, address, files);
  if (address.directTls)
    return encrypt(socket, address, { ...options, ALPNProtocols: ['postgresql'] });
  const response = await request(socket);
  if (response === ACCEPTED) return encrypt(socket, address, options);
  if (response === DECLINED && mode === 'prefer') return socket;
  throw new ConnectionLost(
    response === DECLINED
      ? `${nameOf(address)} does not offer TLS, which sslmode=${mode} requires`
      : `${nameOf(address)} did not respond to the request for TLS as PostgreSQL does`,
  );
}

/** Requests TLS, and resolves with the response. More than one byte would be text that an attacker inserted. */
function request(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new ConnectionLost('The server closed the connection'));
    socket.once('close', onClose);
    socket.once('data', (response: Buffer) => {
      socket.off('close', onClose);
      resolve(response.toString('latin1'));
    });
    socket.write(SSL_REQUEST);
  });
}

function encrypt(
  socket: Socket,
  address: PostgresAddress,
  options: ConnectionOptions,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const encrypted = connect({ ...options, socket });
    const onError = (error: Error) => reject(explainNetworkError(error, address));
    const onClose = () =>
      reject(
        new ConnectionLost(`${nameOf(address)} closed the connection during the TLS handshake`),
      );
    encrypted.once('error', onError).once('close', onClose);
    socket.once('close', onClose);
    encrypted.once('secureConnect', () => {
      encrypted.off('error', onError).off('close', onClose);
      socket.off('close', onClose);
      resolve(encrypted);
    });
  });
}

function tlsOptions(mode: SslMode, address: PostgresAddress, files: TlsFiles): ConnectionOptions {
  const { host, caFile = files.caFile } = address;
  const certificateFile = address.certificateFile ?? files.certificateFile;
  const keyFile = address.keyFile ?? files.keyFile;
  if (mode === 'verify-ca' && (caFile === undefined || caFile === SYSTEM)) {
    throw new StorageError(
      'refused',
      'The parameter sslmode=verify-ca requires the certificates of an authority: set DATABASE_CA_FILE, or use sslmode=verify-full.',
    );
  }
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    throw new StorageError(
      'refused',
      'A client certificate requires both DATABASE_CERT_FILE and DATABASE_KEY_FILE.',
    );
  }
  return {
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // As in libpq, any mode verifies the certificate if there are certificates of authorities.
    rejectUnauthorized: mode === 'verify-full' || caFile !== undefined,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    ...(caFile === undefined || caFile === SYSTEM ? {} : { ca: read(caFile) }),
    ...(certificateFile === undefined ? {} : { cert: read(certificateFile) }),
    ...(keyFile === undefined ? {} : { key: read(keyFile) }),
  };
}

function read(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConnectionLost(`the file ${file} cannot be read (${failureOf(error) ?? error})`);
  }
  if (text.includes('-----BEGIN ')) return text;
  throw new ConnectionLost(`the file ${file} contains no certificate and no key in PEM`);
}
