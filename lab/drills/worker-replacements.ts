import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, isRunning } from '../../test/process/children.ts';
import { createKey } from '../../test/support/create-key.ts';
import { commandOf, startCommand, until } from '../../test/support/process.ts';
import { Traffic } from './traffic.ts';

const WORKERS = 2;

/** Longer than the replacements of a drill take on a busy machine. */
const SERVICE_LIMIT_MS = 500_000;

interface WorkerReplacements {
  readonly database: string;
  readonly clients: number;
  /** Whether each request has its own connection. */
  readonly fresh: boolean;
  readonly replacements: number;
  /** Workers are replaced until the clients have sent this many requests. */
  readonly requests?: number;
}

/** Replaces two workers in turn, under load. */
export async function replaceWorkers(options: WorkerReplacements) {
  const { database, replacements, requests = 0 } = options;
  const key = await createKey(database, ['pets:read', 'pets:write']);
  const flags = ['--database', database, '--workers', String(WORKERS), '--log-level', 'warn'];
  const service = await startCommand(commandOf('serve', ...flags, '--port', '0'), {
    showsKey: false,
    limitMs: SERVICE_LIMIT_MS,
  });
  try {
    const traffic = new Traffic({ ...options, origin: service.origin, key });
    let replaced = 0;
    for (; replaced < replacements || traffic.requests < requests; replaced += 1) {
      const [oldest = 0] = childrenOf(service.pid);
      process.kill(oldest, 'SIGTERM');
      while (isRunning(oldest)) await sleep(20);
      await until(() => childrenOf(service.pid).length === WORKERS);
    }
    await traffic.stop();
    const { status, stdout } = await service.stop();
    return { traffic, replaced, status, stdout };
  } finally {
    service.signal('SIGKILL');
  }
}
