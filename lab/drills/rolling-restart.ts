import { createKey } from '../../test/support/create-key.ts';
import { freePort } from '../../test/support/postgres-home.ts';
import { commandOf, type RunningService, startCommand } from '../../test/support/process.ts';
import { type HttpReuse, startHaproxy } from './haproxy.ts';
import { Traffic } from './traffic.ts';

/** Longer than twenty rolling restarts take on a busy machine. */
const SERVICE_LIMIT_MS = 500_000;

interface RollingRestarts {
  readonly database: string;
  readonly reuse: HttpReuse;
  readonly restarts: number;
  readonly clients: number;
  /** More than HAProxy needs to notice that an instance stops. */
  readonly delay: string;
  /** The restarts are repeated until the clients have sent this many requests. */
  readonly requests?: number;
}

/** Restarts two instances behind HAProxy in turn, under load. */
export async function rollInstances(options: RollingRestarts) {
  const { database, reuse, restarts, clients, delay, requests = 0 } = options;
  const key = await createKey(database, ['pets:read', 'pets:write']);
  const ports = [await freePort(), await freePort()];
  const flags = ['--database', database, '--shutdown-delay', delay, '--log-level', 'warn'];
  const start = (port: number): Promise<RunningService> =>
    startCommand(commandOf('serve', ...flags, '--port', String(port)), {
      showsKey: false,
      limitMs: SERVICE_LIMIT_MS,
    });
  const instances = await Promise.all(ports.map(start));
  const haproxy = await startHaproxy(ports, reuse);
  const statuses: (number | null)[] = [];
  const stop = async (instance: RunningService | undefined): Promise<void> => {
    if (instance !== undefined) statuses.push((await instance.stop()).status);
  };
  try {
    await haproxy.allUp();
    const traffic = new Traffic({ origin: haproxy.origin, key, clients });
    let round = 0;
    for (; round < restarts || traffic.requests < requests; round += 1) {
      for (const [index, port] of ports.entries()) {
        await stop(instances[index]);
        instances[index] = await start(port);
        await haproxy.allUp();
      }
    }
    await traffic.stop();
    for (const instance of instances) await stop(instance);
    return { traffic, rounds: round, statuses: new Set(statuses) };
  } finally {
    for (const instance of instances) instance.signal('SIGKILL');
    await haproxy.stop();
  }
}
