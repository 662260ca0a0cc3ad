import type { Keyring } from '../api-keys/keyring.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { OnBatch } from '../observe/measurements.ts';
import { single } from '../observe/metrics/families.ts';
import type { Build, Metrics } from '../observe/metrics/metrics.ts';
import { tcpConnections } from '../observe/metrics/tcp-connections.ts';
import type { Observe } from '../observe/observation.ts';
import type { Database } from '../storage/database.ts';
import { withoutPassword } from '../storage/database-url.ts';
import { ClockWatch } from './clock-watch.ts';
import { databaseGauges, webhookGauges } from './database-gauges.ts';
import { createFirstKey, type FirstKey } from './first-key.ts';
import { explainListenError } from './listen-error.ts';
import type { serveMetrics } from './metrics-server.ts';
import { type RunningServer, startServer } from './server.ts';
import { startWarnings } from './start-warnings.ts';
import { stopOnSignal, stopWithSupervisor } from './stop-triggers.ts';
import { COLLECT_METRICS, LISTENING, type MetricsMessage } from './worker-messages.ts';

interface DatabaseOptions {
  readonly standbyUrls?: readonly string[] | undefined;
  readonly observe?: Observe;
  readonly onBatch?: OnBatch | undefined;
}

export interface ServiceDeps {
  readonly build: Build;
  readonly keyring: Keyring;
  /** It also receives all observations. */
  readonly observe: Observe;
  /** Undefined: none are wanted. */
  readonly metrics: Metrics | undefined;
  readonly openDatabase: (options: DatabaseOptions) => MaybePromise<Database>;
  readonly showReady: (baseUrl: string, origin: string, metricsUrl?: string) => void;
  readonly showFirstKey: (firstKey: FirstKey, origin: string) => void;
  readonly showWarning: (warning: string) => void;
}

/** Serves in this process. Resolves when the service has stopped. */
export async function runService(config: Config, deps: ServiceDeps): Promise<void> {
  const { metrics } = deps;
  const metricsServer =
    metrics && (await startMetrics(config, async () => [await metrics.collect()], deps.observe));
  try {
    await serveAlone(config, deps, metricsServer?.url);
  } finally {
    await metricsServer?.stop();
  }
}

/** Loads the code of the metrics, which a start without metrics does not need. */
export async function startMetrics(
  ...parameters: Parameters<typeof serveMetrics>
): ReturnType<typeof serveMetrics> {
  const server = await import('./metrics-server.ts');
  return server.serveMetrics(...parameters);
}

async function serveAlone(config: Config, deps: ServiceDeps, metricsUrl?: string): Promise<void> {
  const { server, database } = await start(config, deps, false);
  deps.metrics?.addSource(() => tcpConnections(server.port));
  let isStopping = false;
  const stopped = stopOnSignal((signal) => {
    isStopping = true;
    return server.stop(signal, { delayMs: config.shutdownDelayMs });
  });
  const firstKey = await createFirstKey(database, deps.keyring, config, deps.observe).catch(
    async (error) => {
      if (isStopping) return undefined;
      await server.stop('no first key');
      throw error;
    },
  );
  if (isStopping && firstKey === undefined) return stopped;
  await checkAtStart(config, deps, database);
  deps.showReady(server.baseUrl, server.origin, metricsUrl);
  if (firstKey) deps.showFirstKey(firstKey, server.origin);
  observeStart(config, deps, server);
  await stopped;
}

/** Watches the clock, and warns. Called once for all workers. */
export async function checkAtStart(
  config: Config,
  { observe, metrics, showWarning }: ServiceDeps,
  database: Database,
): Promise<void> {
  const clock = new ClockWatch(observe);
  clock.start();
  metrics?.addSource(() => [single('animal_store_clock_behind_seconds', clock.behindSeconds)]);
  await clock.compareWith(database);
  for (const warning of await startWarnings(database, config)) showWarning(warning);
}

/** Serves as a worker, on a port that workers share. Resolves when the worker has stopped. */
export async function runWorker(config: Config, deps: ServiceDeps): Promise<void> {
  const { metrics } = deps;
  const { server } = await start(config, deps, true);
  const stopped = stopWithSupervisor(async (reason, options) => {
    await server.stop(reason, options);
    if (metrics) await sendMetrics(metrics);
  }, config.shutdownDelayMs);
  if (metrics) {
    process.on('message', (message) => {
      if (message === COLLECT_METRICS) sendMetrics(metrics);
    });
  }
  observeStart(config, deps, server);
  process.send?.(LISTENING);
  await stopped;
}

/** Sends the metrics of this process to its supervisor. Resolves when they are sent, or cannot be. */
async function sendMetrics(metrics: Metrics): Promise<void> {
  const message: MetricsMessage = { metrics: await metrics.collect() };
  if (!process.connected) return;
  await new Promise<void>((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}

async function start(config: Config, deps: ServiceDeps, sharesPort: boolean) {
  const { keyring, observe, metrics, openDatabase } = deps;
  const { standbyUrls } = config;
  const database = await openDatabase({ standbyUrls, observe, onBatch: metrics?.onBatch });
  try {
    const server = startServer(config, {
      database,
      keyring,
      observe,
      clock: systemClock,
      generateRequestId: requestIds(),
      sharesPort,
    });
    metrics?.addSource(server.metrics);
    metrics?.addSource(databaseGauges(database, systemClock));
    metrics?.addSource(webhookGauges(database.read.webhooks, systemClock));
    return { server, database };
  } catch (error) {
    await database.close();
    throw await explainListenError(error, config);
  }
}

function observeStart(
  { database, environment }: Config,
  { observe, build: { commit, schemaVersion } }: ServiceDeps,
  { origin }: RunningServer,
): void {
  observe({
    kind: 'server_started',
    url: origin,
    environment,
    database: withoutPassword(database),
    commit,
    schemaVersion,
  });
}

/** Generates ids that are unique across processes at little cost: a random prefix and a counter. */
function requestIds(): () => string {
  const prefix = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}
