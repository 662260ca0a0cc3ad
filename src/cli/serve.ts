import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { operationsOf } from '../app.ts';
import { systemClock } from '../clock.ts';
import type { Config, SettingName } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import type { LogLevel } from '../observe/level.ts';
import { limitLines } from '../observe/limit-lines.ts';
import { LogFile } from '../observe/log-file.ts';
import { createLogger } from '../observe/logger.ts';
import type { Build, Metrics } from '../observe/metrics/metrics.ts';
import type { Observe } from '../observe/observation.ts';
import { runService, runWorker, type ServiceDeps } from '../server/service.ts';
import { withSettings } from './command.ts';
import { checkpointLeftoverWal, openConfigured } from './database.ts';
import { observeIgnoredSignals } from './ignored-signals.ts';
import type { Io } from './io.ts';
import { createKeyring } from './keys.ts';
import { printFirstKey, printReady, printWarning } from './startup-messages.ts';
import { findCommit, schemaFor, VERSION } from './versions.ts';

const STANDARD_OUTPUT = 1;

export function serveCommand(io: Io): Command {
  const command = new Command('serve')
    .description('run the service until it receives SIGTERM or SIGINT')
    .addOption(new Option('--as-worker <number>').argParser(Number).hideHelp());
  const settings = Object.keys(SETTINGS) as SettingName[];
  return withSettings(
    io,
    command,
    settings,
    async ({ asWorker }: { asWorker?: number }, config) => {
      const log = new LogFile(STANDARD_OUTPUT);
      const showWarning = (warning: string) => printWarning(io, warning);
      const build = {
        version: VERSION,
        commit: findCommit(),
        schemaVersion: await schemaFor(config.database),
      };
      const metrics = await metricsOf(config, build, log);
      const logger = createLogger({
        level: config.logLevel,
        source: {
          version: VERSION,
          instance: config.instance ?? hostname(),
          pid: process.pid,
          worker: asWorker,
        },
        clock: systemClock,
        destination: log,
      });
      const observe = metrics
        ? both(logger, config.logLevel, metrics.observe)
        : limitLines(logger, config.logLevel);
      log.onDropped = (droppedLines) => observe({ kind: 'log_lines_dropped', droppedLines });
      observeIgnoredSignals(observe);
      const deps: ServiceDeps = {
        build,
        keyring: createKeyring(config.environment),
        observe,
        metrics,
        // The supervisor creates the catalogue and checks the role, once for all workers.
        openDatabase: (options) =>
          openConfigured(io, config, {
            ...options,
            ...(asWorker === undefined ? { checkService: showWarning } : { mayCreate: false }),
          }),
        showReady: (...urls) => printReady(io, config, ...urls),
        showFirstKey: (...first) => printFirstKey(io, ...first),
        showWarning,
      };
      try {
        if (asWorker !== undefined) await runWorker(config, deps);
        else if (config.workers > 1) {
          const { superviseWorkers } = await import('../server/supervise-workers.ts');
          await superviseWorkers(config, deps, workerCommand);
          await checkpointLeftoverWal(io, config);
        } else await runService(config, deps);
      } finally {
        await closeLog(io, log);
      }
    },
  );
}

/** The metrics of this process. Their code is loaded only if they are wanted. */
async function metricsOf(config: Config, build: Build, log: LogFile): Promise<Metrics | undefined> {
  if (config.metricsPort === undefined) return undefined;
  const { createMetrics } = await import('../observe/metrics/metrics.ts');
  const { single } = await import('../observe/metrics/families.ts');
  const operations = operationsOf(config.extensions).map(({ operation }) => ({
    id: operation.id,
    method: operation.method.toUpperCase(),
    isDeprecated: operation.deprecation !== undefined,
  }));
  const metrics = createMetrics({ build, operations });
  metrics.addSource(() => [single('animal_store_log_lines_dropped_total', log.dropped)]);
  return metrics;
}

/** Metrics count all events, and the lines that the log leaves out. */
function both(logger: Observe, level: LogLevel, count: Observe): Observe {
  const log = limitLines((observation) => {
    if (observation.kind === 'lines_left_out') count(observation);
    logger(observation);
  }, level);
  return (observation) => {
    count(observation);
    log(observation);
  };
}

/** The command line of this process, with the flags of a worker. */
function workerCommand(port: number, worker: number): string[] {
  const [, main = '', ...args] = process.argv;
  // An executable contains the program: its `main` is a path inside of it.
  const program = Bun.isStandaloneExecutable ? [] : [main];
  const { execPath, execArgv } = process;
  const flags = ['--port', String(port), '--as-worker', String(worker)];
  return [execPath, ...execArgv, ...program, ...args, ...flags];
}

/** Limits the wait for a log on a full disk, or in a pipe that nobody reads. */
const LOG_FLUSH_TIMEOUT_MS = 1_000;

/** Limits the wait for the last messages on standard error. */
const EXIT_TIMEOUT_MS = 200;

async function closeLog(io: Io, log: LogFile): Promise<void> {
  // The timers are not referenced, so that the process can exit before they fire.
  await Promise.race([log.end(), sleep(LOG_FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
  const { waiting } = log;
  if (waiting > 0)
    printWarning(
      io,
      `The log cannot be written: its last ${waiting === 1 ? 'line is' : `${waiting} lines are`} lost.`,
    );
  // A write to a pipe that nobody reads blocks a thread, which would keep the process running.
  setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref();
}
