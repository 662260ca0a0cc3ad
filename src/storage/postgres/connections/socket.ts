import { connect, type Socket } from 'node:net';
import type { PostgresAddress } from '../../postgres-url.ts';
import { ConnectionTimedOut } from '../failures.ts';
import { nameOf, socketPath } from './refusals.ts';
import { requestsTls, startTls, type TlsFiles } from './tls.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;

/** How long a connection attempt may take, apart from the deadline of its first statement. */
export const connectTimeoutSeconds = (address: PostgresAddress): number =>
  address.connectTimeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;

/** A socket, and the one to use: the same, or the socket of TLS on it. Both fail with the first. */
interface OpenedSocket {
  readonly plain: Socket;
  readonly usable: Socket | Promise<Socket>;
}

/** Opens a socket to a server, and starts TLS on it if the address requests that. */
export function openSocket(address: PostgresAddress, files: TlsFiles): OpenedSocket {
  const { host, port } = address;
  if (host.startsWith('/')) {
    const plain = connect(socketPath(address));
    return { plain, usable: plain };
  }
  const plain = connect({ host, port });
  if (!requestsTls(address, files)) return { plain, usable: plain };
  const timer = setTimeout(
    () => plain.destroy(new ConnectionTimedOut(`${nameOf(address)} did not respond in time`)),
    connectTimeoutSeconds(address) * 1000,
  );
  const usable = startTls(plain, address, files).finally(() => clearTimeout(timer));
  return { plain, usable };
}
