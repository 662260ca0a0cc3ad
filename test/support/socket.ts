import { connect } from 'node:net';
import { Keyring } from '../../src/api-keys/keyring.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig, type SettingName } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { startServer } from '../../src/server/server.ts';
import type { Database } from '../../src/storage/database.ts';
import { BY_TEST } from './cause.ts';
import { chosenEngine } from './engines.ts';

type Message = string | Uint8Array;

export interface SocketService extends AsyncDisposable {
  readonly origin: string;
  readonly key: string;
  /** The header of this key. */
  readonly authorization: string;
  readonly observed: Observation[];
  /**
   * Sends messages on a new connection, each after the whole response to the one before. @returns all
   * that is received until the service closes the connection
   */
  send(...messages: readonly Message[]): Promise<string>;
  /** Sends a request with `Connection: close`. @returns all that is received until the service closes the connection */
  request(...lines: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts the service on a free port of 127.0.0.1. */
export async function listen(
  flags: Record<string, string> = {},
  wrap: (database: Database) => Database = (database) => database,
  generateRequestId?: () => string,
): Promise<SocketService> {
  const storage = await chosenEngine().open();
  const database = wrap(storage.database);
  const observed: Observation[] = [];
  const config = readConfig(Object.keys(SETTINGS) as SettingName[], { port: '0', ...flags }, {});
  const keyring = new Keyring({ clock: systemClock, environment: config.environment });
  let requests = 0;
  const server = startServer(config, {
    database,
    keyring,
    observe: (observation) => observed.push(observation),
    clock: systemClock,
    generateRequestId: generateRequestId ?? (() => `request-${requests++}`),
  });
  const { secret } = await database.write(BY_TEST, ({ apiKeys }) =>
    keyring.create(apiKeys, { name: 'test', scopes: SCOPES, expiresAt: null }),
  );
  const close = async () => {
    await server.stop('test');
    await storage.remove();
  };
  return {
    origin: server.origin,
    key: secret,
    authorization: `Authorization: Bearer ${secret}`,
    observed,
    send: (...messages) => exchange(server.port, messages),
    request: (line, ...rest) =>
      exchange(server.port, [[line, 'Connection: close', ...rest, '', ''].join('\r\n')]),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function exchange(port: number, messages: readonly Message[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let sent = 0;
    let received = '';
    /** Where the response to the last message begins. */
    let begin = 0;
    const sendNext = () => {
      begin = received.length;
      socket.write(messages[sent++] ?? '');
    };
    socket.on('connect', sendNext);
    socket.on('data', (text) => {
      received += text;
      const isHead = `${messages[sent - 1]}`.startsWith('HEAD ');
      if (sent < messages.length && isWhole(received.slice(begin), isHead)) sendNext();
    });
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) reject(error);
    });
  });
}

/** Whether a response with a Content-Length is complete. An interim response precedes it. */
function isWhole(received: string, isHead: boolean): boolean {
  const response = received.replace(/^HTTP\/1\.1 1\d\d .*?\r\n\r\n/s, '');
  const length = /^content-length: (\d+)\r$/im.exec(response)?.[1];
  if (!response.includes('\r\n\r\n')) return false;
  return isHead || Buffer.byteLength(bodyOf(response)) >= Number(length);
}

/** The status of a response as it was received. */
export const statusOf = (response: string): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);

/** The content of a response as it was received. */
export const bodyOf = (response: string): string =>
  response.slice(response.indexOf('\r\n\r\n') + 4);
