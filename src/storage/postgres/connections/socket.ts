import { connect, type Socket } from 'node:net';
import type { PostgresAddress } from '../../postgres-url.ts';
import { ConnectionTimedOut } from '../failures.ts';
import { nameOf, socketPath } from './refusals.ts';
import { startTls, type TlsFiles } from './tls.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;

/** How long a connection attempt may take, apart from the deadline of its first statement. */
export const connectTimeoutSeconds = (address: PostgresAddress): number =>
  address.connectTimeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;

export const openSocket = (address: PostgresAddress): Socket =>
  address.host.startsWith('/')
    ? connect(socketPath(address))
    : connect({ host: address.host, port: address.port });

/** As `startTls`, but within the time of a connection attempt. */
export function startTlsInTime(
  plain: Socket,
  address: PostgresAddress,
  files: TlsFiles,
): Promise<Socket> {
  const timer = setTimeout(
    () => plain.destroy(new ConnectionTimedOut(`${nameOf(address)} did not respond in time`)),
    connectTimeoutSeconds(address) * 1000,
  );
  return startTls(plain, address, files).finally(() => clearTimeout(timer));
}
