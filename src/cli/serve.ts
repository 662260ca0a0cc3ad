import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { systemClock } from '../clock.ts';
import { baseUrlsOf, originOf } from '../config/base-urls.ts';
import { type Config, SETTINGS, type SettingName } from '../config/config.ts';
import { LogFile } from '../observe/log-file.ts';
import { createLogger } from '../observe/logger.ts';
import { findPort, startServer } from '../server/server.ts';
import { LISTENING, Supervisor } from '../server/supervisor.ts';
import { commandWith } from './command.ts';
import { nameOf, openConfigured, withDatabase } from './database.ts';
import { CommandFailed } from './failures.ts';
import { type FirstKey, makeFirstKey } from './first-key.ts';
import { keyringOf } from './keys.ts';
import { listenFailure } from './listen-failure.ts';
import { tell } from './output.ts';

const STANDARD_OUTPUT = 1;

export function serveCommand(): Command {
  const settings = Object.keys(SETTINGS) as SettingName[];
  const { command, does } = commandWith(
    'serve',
    'run the service until it is told to stop',
    settings,
  );
  command.addOption(new Option('--as-worker').hideHelp());
  return does<{ asWorker?: true }>(({ asWorker }, config) =>
    withLog(async (log) => {
      if (asWorker) await serveAsWorker(config, log);
      else if (config.workers > 1) await superviseWorkers(config, log);
      else await serveAlone(config, log);
    }),
  );
}

/** The longest time that a stop waits for the log, which may go to a full disk or to a pipe that nobody reads. */
const LOG_PATIENCE_MS = 1_000;

/** The longest time that the process waits for its last words on standard error. */
const WORDS_PATIENCE_MS = 200;

async function withLog(work: (log: LogFile) => Promise<void>): Promise<void> {
  const log = new LogFile(STANDARD_OUTPUT);
  try {
    await work(log);
  } finally {
    // Not referenced: the timer must not keep a process whose log is written.
    await Promise.race([log.end(), sleep(LOG_PATIENCE_MS, undefined, { ref: false })]);
    // A write to a pipe that nobody reads blocks a thread, which keeps a process that ends by itself.
    setTimeout(() => process.exit(), WORDS_PATIENCE_MS).unref();
  }
}

/** Serves in this process. Resolves when the service has stopped. */
async function serveAlone(config: Config, log: LogFile): Promise<void> {
  const service = await startService(config, log, false);
  const stopped = untilSignalled(service.server.stop);
  const first = await makeFirstKey(service.database, config).catch(async (error) => {
    await service.server.stop('no first key');
    throw error;
  });
  const { origin, baseUrl } = service.server;
  greet(baseUrl, origin, config, first);
  service.tellStarted();
  await stopped;
}

/** Serves on a port that is shared with other workers, until the supervisor says so or is gone. */
async function serveAsWorker(config: Config, log: LogFile): Promise<void> {
  const service = await startService(config, log, true);
  const stopped = untilTold(service.server.stop);
  service.tellStarted();
  process.send?.(LISTENING);
  await stopped;
}

/** Has several processes serve on one port. Resolves when all have stopped. */
async function superviseWorkers(config: Config, log: LogFile): Promise<void> {
  const observe = createLogger(config.logLevel, systemClock, log);
  const port = await findPort(config.host, config.port).catch(async (error) => {
    throw await listenFailure(error, config);
  });
  const first = await withDatabase(config, (database) => makeFirstKey(database, config));
  const [, main = '', ...args] = process.argv;
  const worker = [process.execPath, main, ...args, '--port', String(port), '--as-worker'];
  const supervisor = new Supervisor(worker, observe);
  let isSecond = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isSecond) {
      supervisor.kill();
      process.exit(1);
    }
    isSecond = true;
    supervisor.stop(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const origin = originOf(config.host, port);
  if (!(await supervisor.start(config.workers))) {
    // The key is stored already: nobody would learn it later.
    if (first !== undefined) tellFirstKey(first, origin);
    supervisor.stop('SIGTERM');
    await supervisor.stopped();
    throw new CommandFailed('A worker could not start: its own words stand above.');
  }
  greet(baseUrlsOf(config, origin)[config.environment], origin, config, first);
  await supervisor.stopped();
}

async function startService(config: Config, log: LogFile, sharesPort: boolean) {
  const { replicaUrls, environment } = config;
  const observe = createLogger(config.logLevel, systemClock, log);
  const database = await openConfigured(config, { replicaUrls, observe });
  try {
    const server = startServer(config, {
      database,
      keyring: keyringOf(environment),
      observe,
      clock: systemClock,
      generateRequestId: requestIds(),
      sharesPort,
    });
    const place = nameOf(config.database);
    const tellStarted = () =>
      observe({ kind: 'server_started', url: server.origin, environment, database: place });
    return { database, server, tellStarted };
  } catch (error) {
    await database.close();
    throw await listenFailure(error, config);
  }
}

type Stop = (signal: string) => Promise<void>;

/** SIGTERM and SIGINT stop the service in good order; a second one ends it at once. */
function untilSignalled(stop: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    let signalled = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (signalled) process.exit(1);
      signalled = true;
      stop(signal).then(resolve, reject);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** A worker stops when its supervisor says so or is gone, and on a SIGTERM of its own. */
function untilTold(stop: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    let told = false;
    const onTold = (reason: string): void => {
      if (told) return;
      told = true;
      stop(reason).then(resolve, reject);
    };
    process.on('message', (message) => onTold(String(message)));
    process.on('disconnect', () => onTold('supervisor gone'));
    process.on('SIGTERM', onTold);
    process.on('SIGINT', () => {}); // a terminal sends it to the supervisor, too
  }).then(() => process.disconnect?.()) as Promise<void>;
}

/** Ids that are unique across processes, and cheap: a random start and a count. */
function requestIds(): () => string {
  const start = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}

function greet(
  baseUrl: string,
  origin: string,
  config: Config,
  firstKey: FirstKey | undefined,
): void {
  const workers = config.workers > 1 ? ` with ${config.workers} workers` : '';
  const place = nameOf(config.database);
  tell(`Animal Store serves ${baseUrl} from ${place}${workers}. Documentation: ${origin}/docs`);
  if (firstKey !== undefined) tellFirstKey(firstKey, origin);
}

function tellFirstKey(firstKey: FirstKey, origin: string): void {
  const isShown = 'secret' in firstKey;
  const shown = isShown
    ? `This is the first API key. It is shown only this once:\n\n  ${firstKey.secret}`
    : `The first API key is in ${firstKey.file}. It is shown nowhere else.`;
  const header = isShown
    ? `'Authorization: Bearer ${firstKey.secret}'`
    : `"Authorization: Bearer $(cat ${quoteForShell(firstKey.file)})"`;
  tell(`
${shown}

Try it:

  curl -H ${header} ${origin}/v1/pets
`);
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
