import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MemoryGroup, memoryGroup } from '../support/memory-group.ts';
import {
  animalStore,
  bearer,
  commandOf,
  ROOT,
  type RunningService,
  startCommand,
  startService,
  until,
  untilLogged,
  withService,
} from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  type Disturbed,
  type Left,
  MAX_UPTIME_MS,
  type Scene,
  trialOfScene,
} from './disturbed-round.ts';
import type { Trial } from './trial.ts';

/** Enough for a start and for small requests, and less than large requests need. */
const LIMIT_BYTES = 110 * 2 ** 20;
const LIMIT_OF_WORKERS_BYTES = 160 * 2 ** 20;
const LARGE = JSON.stringify({ name: 'x'.repeat(1_000_000), categoryId: 1 });
const SENDERS = 100;

/** Sends bodies of 1 MB, which the service refuses, until the kernel kills a process. */
async function exhaust({ origin, firstKey = '' }: RunningService, group: MemoryGroup) {
  const before = group.kills();
  const headers = { ...bearer(firstKey).headers, 'Content-Type': 'application/json' };
  const send = async () => {
    while (group.kills() === before) {
      const request = fetch(`${origin}/v1/pets`, { method: 'POST', headers, body: LARGE });
      await request.then((response) => response.text()).catch(() => sleep(5));
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

/** A service in a control group whose memory is limited, as `MemoryMax` of systemd limits it. */
function memoryScene(limitBytes: number, workers: number): Scene {
  let group: MemoryGroup | undefined;
  const groupOf = (): MemoryGroup => {
    if (group === undefined) throw new Error('This machine has no control group for memory.');
    return group;
  };
  return {
    async prepare() {
      group = memoryGroup(limitBytes);
      return async () => groupOf().remove();
    },
    start({ database, has }) {
      const flags = ['--port', '0', '--log-level', 'warn', '--workers', `${workers}`];
      const serve = commandOf('serve', '--database', database, ...flags);
      const showsKey = !has('animals.db');
      return startCommand(groupOf().command(serve), { limitMs: 60_000, showsKey });
    },
    async disturb({ service }: Disturbed): Promise<Left> {
      await exhaust(service, groupOf());
      if (workers === 1) {
        await service.ended();
        return { isRunning: false };
      }
      await untilLogged(service, 'worker_exited');
      await until(
        async () =>
          (await fetch(`${service.origin}/readyz`).catch(() => undefined))?.status === 200,
      );
      return { isRunning: true };
    },
  };
}

const MIGRATIONS = 'src/storage/sqlite/schema/migrations';

const git = (...args: string[]): string =>
  spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 30 }).stdout.trim();

/** Unpacks the last version of the program with an older schema, and returns the command that runs it. */
function unpackOlder(folder: string): string[] {
  const newest = git('ls-files', `${MIGRATIONS}/*.sql`).split('\n').at(-1) ?? '';
  const commit = git('log', '--format=%H', '--diff-filter=A', '--', newest);
  const archive = spawnSync('sh', ['-c', `git archive ${commit}^ | tar -x -C "$0"`, folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (commit === '' || archive.status !== 0)
    throw new Error(`It needs the history of ${newest}: ${archive.stderr}`);
  symlinkSync(`${ROOT}node_modules`, join(folder, 'node_modules'));
  return [process.execPath, join(folder, 'src/main.ts')];
}

/** The older program serves, and the newer one starts on the same file and migrates it. */
function versionsScene(): Scene {
  const folder = temporaryFolder();
  let older: string[] | undefined;
  let rounds = 0;
  return {
    hasEvents: false,
    async prepare() {
      older ??= unpackOlder(folder.path);
      rounds = 0;
      return async () => {};
    },
    start({ database }) {
      rounds += 1;
      if (rounds > 1) return startService(database, ['--log-level', 'error']);
      const serve = [...(older ?? []), 'serve', '--database', database, '--port', '0'];
      return startCommand([...serve, '--log-level', 'error']);
    },
    async disturb({ service, place, random }: Disturbed): Promise<Left> {
      const { database } = place;
      await withService(await startService(database, ['--log-level', 'error']), async (newer) => {
        await sleep(random() * MAX_UPTIME_MS);
        await newer.stop();
      });
      await sleep(random() * MAX_UPTIME_MS);
      service.signal('SIGKILL');
      await service.ended();
      const again = spawnSync((older ?? [])[0] ?? '', [
        ...(older ?? []).slice(1),
        'check',
        '--database',
        database,
      ]);
      const problems =
        again.status === 0 ? ['the older program did not refuse the newer schema'] : [];
      const renewed = await animalStore(['renew-events', '--database', database]);
      if (renewed.status !== 0) problems.push(`renew-events: ${renewed.stderr}`);
      return { isRunning: false, problems };
    },
  };
}

const described = { unit: 'rounds', rounds: 20 } as const;

/** Limits of memory, and other versions of the program, beside a service on SQLite. */
export const NEIGHBOURS: Readonly<Record<string, Trial>> = {
  'memory-limit': trialOfScene(
    {
      promise: 'A service that reaches its limit of memory loses nothing acknowledged.',
      method: `Bodies of 1 MB are sent at the same time, until the kernel kills the service, whose control group may have ${LIMIT_BYTES / 2 ** 20} MiB. It is started again.`,
      ...described,
      asRoot: true,
    },
    memoryScene(LIMIT_BYTES, 1),
  ),
  'memory-limit-worker': trialOfScene(
    {
      promise:
        'A worker that reaches the limit of memory is replaced, and nothing acknowledged is lost.',
      method: `The same with two workers and ${LIMIT_OF_WORKERS_BYTES / 2 ** 20} MiB. The service must be ready again without a start.`,
      ...described,
      asRoot: true,
    },
    memoryScene(LIMIT_OF_WORKERS_BYTES, 2),
  ),
  'two-versions': trialOfScene(
    {
      promise: 'Two versions of the program on one file lose nothing acknowledged.',
      method:
        'The last version with an older schema serves. The current version starts on the same file, and migrates it under load. Both run, and are ended. The older one must then refuse the file, and `renew-events` must work. Events are not compared: the older version writes none.',
      ...described,
      tools: ['git', 'tar'],
    },
    versionsScene(),
  ),
};
