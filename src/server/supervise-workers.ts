import { setTimeout as sleep } from 'node:timers/promises';
import { originOf, ownBaseUrl } from '../config/base-urls.ts';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../observe/metrics/metrics.ts';
import { tcpConnections } from '../observe/metrics/tcp-connections.ts';
import { createFirstKey, type FirstKey } from './first-key.ts';
import { explainListenError } from './listen-error.ts';
import { checkAtStart, type ServiceDeps, startMetrics } from './service.ts';
import { takePort } from './shared-port.ts';
import { StartupError } from './startup-error.ts';
import { onStopSignal } from './stop-triggers.ts';
import { Supervisor } from './supervisor.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** How long after a worker this process may receive the same signal. */
const SIGNAL_DELAY_MS = 100;

/**
 * Runs several workers on one port. Resolves when all have stopped.
 * @param workerCommand returns the command that starts the worker of a number on a port.
 */
export async function superviseWorkers(
  config: Config,
  deps: ServiceDeps,
  workerCommand: (port: number, worker: number) => readonly string[],
): Promise<void> {
  const metrics = deps.metrics && (await collectFromWorkers(deps.metrics));
  // First, so that it does not choose the port of the workers while none of them listens.
  const metricsServer =
    metrics && (await startMetrics(config, () => metrics.collect(), deps.observe));
  try {
    const { port, release } = await takePort(config.host, config.port).catch(async (error) => {
      throw await explainListenError(error, config);
    });
    deps.metrics?.addSource(() => tcpConnections(port));
    const command = (worker: number) => workerCommand(port, worker);
    const supervisor = new Supervisor(command, deps.observe, metrics);
    await supervise(config, deps, supervisor, port, metricsServer?.url).finally(release);
  } finally {
    await metricsServer?.stop();
  }
}

async function collectFromWorkers(own: Metrics): Promise<WorkerMetrics> {
  const { WorkerMetrics } = await import('./worker-metrics.ts');
  return new WorkerMetrics(own);
}

async function supervise(
  config: Config,
  deps: ServiceDeps,
  supervisor: Supervisor,
  port: number,
  metricsUrl: string | undefined,
): Promise<void> {
  const firstKey = await prepareDatabase(config, deps);
  let isStopped = false;
  const stop = (signal: NodeJS.Signals): void => {
    isStopped = true;
    supervisor.stop(signal);
  };
  onStopSignal(stop, () => supervisor.kill());
  const origin = originOf(config.host, port);
  const isStarted = await supervisor.start(config.workers);
  if (isStarted) deps.showReady(ownBaseUrl(config, origin), origin, metricsUrl);
  // The key is already stored, and cannot be shown later.
  if (firstKey) deps.showFirstKey(firstKey, origin);
  // systemd also signals the workers: one that is starting then exits, perhaps before this process reads its signal.
  if (!isStarted) await sleep(SIGNAL_DELAY_MS);
  const hasFailed = !isStarted && !isStopped;
  if (hasFailed) supervisor.stop('SIGTERM');
  await supervisor.stopped();
  if (hasFailed) throw new StartupError('A worker failed to start: see its message above.');
}

/** Does what is done once for all workers. */
async function prepareDatabase(config: Config, deps: ServiceDeps): Promise<FirstKey | undefined> {
  const database = await deps.openDatabase({});
  try {
    const firstKey = await createFirstKey(database, deps.keyring, config, deps.observe);
    await checkAtStart(config, deps, database);
    return firstKey;
  } finally {
    await database.close();
  }
}
