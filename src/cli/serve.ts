import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { pino } from 'pino';
import { systemClock } from '../clock.ts';
import { type Config, SETTINGS, type SettingName } from '../config.ts';
import { SCOPES } from '../http/operation.ts';
import { createLogger } from '../observe/logger.ts';
import { type RunningServer, startServer } from '../server.ts';
import { commandWith } from './command.ts';
import { nameOf, openDatabase } from './database.ts';
import { CommandFailed } from './exit-status.ts';
import { keyringOf } from './keys.ts';
import { tell } from './output.ts';

type LogFile = ReturnType<typeof pino.destination>;

export function serveCommand(): Command {
  const settings = Object.keys(SETTINGS) as SettingName[];
  const { does } = commandWith('serve', 'run the service until it is told to stop', settings);
  return does((_flags, config) => serve(config));
}

/** Resolves when the service has stopped. */
async function serve(config: Config): Promise<void> {
  const { replicaUrls } = config;
  const database = await openDatabase(config.database, config, { replicaUrls });
  const logFile = pino.destination({ dest: 1, sync: false });
  logFile.on('error', () => {}); // a log that cannot be written does not stop the service
  const observe = createLogger(config.logLevel, systemClock, logFile);
  const keyring = keyringOf(config.environment);
  let server: RunningServer;
  try {
    server = startServer(config, {
      database,
      keyring,
      observe,
      clock: systemClock,
      generateRequestId: requestIds(),
    });
  } catch (error) {
    await database.close();
    throw await listenFailure(error, config);
  }
  const stopped = untilSignalled(server);
  const first = await database.write(({ apiKeys }) =>
    keyring.createFirst(apiKeys, { name: 'first key', scopes: SCOPES, expiresAt: null }),
  );
  const place = nameOf(config.database);
  greet(server, place, first?.secret);
  const { environment } = config;
  observe({ kind: 'started', url: server.origin, environment, database: place });
  await stopped;
  await finish(logFile);
}

const LOG_PATIENCE_MS = 1_000;

/** Writes what is left of the log, in order. Where it cannot be written (disk full, reader gone), the stop goes on without. */
async function finish(logFile: LogFile): Promise<void> {
  const closed = new Promise<void>((resolve) => logFile.once('close', () => resolve()));
  logFile.end();
  await Promise.race([closed, sleep(LOG_PATIENCE_MS)]);
  logFile.destroy();
}

/** SIGTERM and SIGINT stop the service in good order; a second one ends it at once. */
function untilSignalled(server: RunningServer): Promise<void> {
  return new Promise((resolve, reject) => {
    let signalled = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (signalled) process.exit(1);
      signalled = true;
      server.stop(signal).then(resolve, reject);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Ids that are unique across processes, and cheap: a random start and a count. */
function requestIds(): () => string {
  const start = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}

async function listenFailure(error: unknown, { host, port }: Config): Promise<unknown> {
  // For a name that stands for no address the runtime reports whatever error came last.
  const isAddress = await lookup(host).then(
    () => true,
    () => false,
  );
  if (!isAddress) return new CommandFailed(`${host} is no address of this machine.`);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new CommandFailed(
      `Port ${port} of ${host} is in use: stop the other program, or choose another with --port.`,
    );
  }
  return code === undefined
    ? error
    : new CommandFailed(`Cannot listen on ${host}, port ${port} (${code}).`);
}

function greet(
  { origin, baseUrl }: RunningServer,
  database: string,
  firstKey: string | undefined,
): void {
  tell(`Animal Store serves ${baseUrl} from ${database}. Documentation: ${origin}/docs`);
  if (firstKey === undefined) return;
  tell(`
This is the first API key. It is shown only this once:

  ${firstKey}

Try it:

  curl -H 'Authorization: Bearer ${firstKey}' ${origin}/v1/pets
`);
}
