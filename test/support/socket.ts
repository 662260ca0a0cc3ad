import { connect } from 'node:net';
import { Keyring } from '../../src/api-keys/keyring.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig, SETTINGS, type SettingName } from '../../src/config/config.ts';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { startServer } from '../../src/server/server.ts';
import type { Database } from '../../src/storage/database.ts';
import { chosenEngine } from './engines.ts';

type Message = string | Uint8Array;

export interface SocketService {
  readonly origin: string;
  readonly key: string;
  readonly observed: Observation[];
  /**
   * Sends messages on a connection of their own, each once nothing more comes back to the one
   * before, and resolves with all that came back until it closes or nothing more comes.
   */
  send(...messages: readonly Message[]): Promise<string>;
  close(): Promise<void>;
}

const QUIET_MS = 150;

/** The service listening on a free port of 127.0.0.1. */
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
    environment: 'production',
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
  const { secret } = await database.write(({ apiKeys }) =>
    keyring.create(apiKeys, { name: 'test', scopes: SCOPES, expiresAt: null }),
  );
  return {
    origin: server.origin,
    key: secret,
    observed,
    send: (...messages) => exchange(Number(new URL(server.origin).port), messages),
    async close() {
      await server.stop('test');
      await storage.remove();
    },
  };
}

function exchange(port: number, messages: readonly Message[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const unsent = [...messages];
    let received = '';
    let quiet: NodeJS.Timeout;
    const finish = () => {
      clearTimeout(quiet);
      socket.destroy();
      resolve(received);
    };
    const wait = () => {
      clearTimeout(quiet);
      quiet = setTimeout(goOn, QUIET_MS);
    };
    const goOn = () => {
      const message = unsent.shift();
      if (message === undefined) return finish();
      socket.write(message);
      wait();
    };
    socket.on('connect', goOn);
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
