import type { Keyring } from '../api-keys/keyring.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Observe } from '../observe/observation.ts';
import type { Database } from '../storage/database.ts';
import { withoutPassword } from '../storage/database-url.ts';
import { createFirstKey, type FirstKey } from './first-key.ts';
import { warningOfLastingKeys } from './lasting-keys.ts';
import { explainListenError } from './listen-error.ts';
import { type RunningServer, startServer } from './server.ts';
import { stopOnSignal, stopWithSupervisor } from './stop-triggers.ts';
import { LISTENING } from './worker-messages.ts';

interface DatabaseOptions {
  readonly replicaUrls?: readonly string[] | undefined;
  readonly observe?: Observe;
}

export interface ServiceDeps {
  readonly keyring: Keyring;
  readonly observe: Observe;
  readonly openDatabase: (options: DatabaseOptions) => MaybePromise<Database>;
  /** Prints that the service is ready. */
  readonly showReady: (baseUrl: string, origin: string) => void;
  /** Prints the first key. */
  readonly showFirstKey: (firstKey: FirstKey, origin: string) => void;
  /** Prints a warning at startup. */
  readonly showWarning: (warning: string) => void;
}

/** Serves in this process. Resolves when the service has stopped. */
export async function runService(config: Config, deps: ServiceDeps): Promise<void> {
  const { server, database } = await start(config, deps, false);
  const stopped = stopOnSignal((signal) =>
    server.stop(signal, { delayMs: config.shutdownDelayMs }),
  );
  const firstKey = await createFirstKey(database, deps.keyring, config, deps.observe).catch(
    async (error) => {
      await server.stop('no first key');
      throw error;
    },
  );
  const warning = await warningOfLastingKeys(database, config);
  if (warning !== undefined) deps.showWarning(warning);
  deps.showReady(server.baseUrl, server.origin);
  if (firstKey) deps.showFirstKey(firstKey, server.origin);
  observeStart(config, deps, server);
  await stopped;
}

/** Serves as a worker, on a port that workers share. Resolves when the worker has stopped. */
export async function runWorker(config: Config, deps: ServiceDeps): Promise<void> {
  const { server } = await start(config, deps, true);
  const stopped = stopWithSupervisor(server.stop, config.shutdownDelayMs);
  observeStart(config, deps, server);
  process.send?.(LISTENING);
  await stopped;
}

async function start(config: Config, deps: ServiceDeps, sharesPort: boolean) {
  const { keyring, observe, openDatabase } = deps;
  const database = await openDatabase({ replicaUrls: config.replicaUrls, observe });
  try {
    const server = startServer(config, {
      database,
      keyring,
      observe,
      clock: systemClock,
      generateRequestId: requestIds(),
      sharesPort,
    });
    return { server, database };
  } catch (error) {
    await database.close();
    throw await explainListenError(error, config);
  }
}

function observeStart(
  { database, environment }: Config,
  { observe }: ServiceDeps,
  { origin }: RunningServer,
): void {
  observe({
    kind: 'server_started',
    url: origin,
    environment,
    database: withoutPassword(database),
  });
}

/** Generates ids that are unique across processes at little cost: a random prefix and a counter. */
function requestIds(): () => string {
  const prefix = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}
