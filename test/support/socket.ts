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

export interface SocketService {
  readonly origin: string;
  readonly key: string;
  readonly observed: Observation[];
  /**
   * Sends messages on a new connection, each after the server is silent for 150 ms. @returns all
   * that is received until the connection closes or the server is silent again
   */
  send(...messages: readonly Message[]): Promise<string>;
  /** Sends a request with `Connection: close`. @returns all that is received until the service closes the connection */
  request(...lines: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

const SILENCE_MS = 150;

/** Starts the service on a free port of 127.0.0.1. */
export async function listen(
  flags: Record<string, string> = {},
  wrap: (database: Database) => Database = (database) => database,
): Promise<SocketService> {
  const storage = await chosenEngine().open();
  const database = wrap(storage.database);
  const observed: Observation[] = [];
  const config = readConfig(Object.keys(SETTINGS) as SettingName[], { port: '0', ...flags }, {});
  const keyring = new Keyring({
    clock: systemClock,
    environment: config.environment,
    randomBytes: (bytes) => crypto.getRandomValues(bytes),
  });
  let requests = 0;
  const server = startServer(config, {
    database,
    keyring,
    observe: (observation) => observed.push(observation),
    clock: systemClock,
    generateRequestId: () => `request-${requests++}`,
  });
  const { secret } = await database.write(BY_TEST, ({ apiKeys }) =>
    keyring.create(apiKeys, { name: 'test', scopes: SCOPES, expiresAt: null }),
  );
  return {
    origin: server.origin,
    key: secret,
    observed,
    send: (...messages) => exchange(server.port, messages, SILENCE_MS),
    request: (line, ...rest) =>
      exchange(server.port, [[line, 'Connection: close', ...rest, '', ''].join('\r\n')]),
    async close() {
      await server.stop('test');
      await storage.remove();
    },
  };
}

/** Without `silenceMs`, only the end of the connection ends it. */
function exchange(port: number, messages: readonly Message[], silenceMs?: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const unsent = [...messages];
    let received = '';
    let silence: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(silence);
      socket.destroy();
      resolve(received);
    };
    const wait = () => {
      clearTimeout(silence);
      if (silenceMs !== undefined) silence = setTimeout(sendNext, silenceMs);
    };
    const sendNext = () => {
      const message = unsent.shift();
      if (message === undefined) return finish();
      socket.write(message);
      wait();
    };
    socket.on('connect', sendNext);
    socket.on('data', (chunk) => {
      received += chunk;
      wait();
    });
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') finish();
      else reject(error);
    });
  });
}

/** The status of a response as it was received. */
export const statusOf = (response: string): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);

/** The content of a response as it was received. */
export const bodyOf = (response: string): string =>
  response.slice(response.indexOf('\r\n\r\n') + 4);
