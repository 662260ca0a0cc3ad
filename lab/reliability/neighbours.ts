import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '../../test/process/children.ts';
import {
  bearer,
  commandOf,
  ROOT,
  type RunningService,
  runProgram,
  startCommand,
  startService,
  until,
  untilLogged,
  type Workplace,
  withService,
} from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import {
  type Disturbed,
  type Left,
  MAX_UPTIME_MS,
  type Scene,
  trialOfScene,
} from './disturbed-round.ts';
import { type MemoryGroup, memoryGroup } from './memory-group.ts';
import { runCommand } from './run-command.ts';
import type { Trial } from './trial.ts';

/** Enough for a start and for small requests, and less than large requests need. */
const LIMIT_BYTES = 110 * 2 ** 20;
const LIMIT_OF_WORKERS_BYTES = 160 * 2 ** 20;
const LARGE = JSON.stringify({ name: 'x'.repeat(1_000_000), categoryId: 1 });
const SENDERS = 100;
const EXHAUST_LIMIT_MS = 60_000;

/** Sends bodies of 1 MB, which the service refuses, until the kernel kills a process. */
async function exhaust({ origin, firstKey = '' }: RunningService, group: MemoryGroup) {
  const before = group.kills();
  const endMs = performance.now() + EXHAUST_LIMIT_MS;
  const headers = { ...bearer(firstKey).headers, 'Content-Type': 'application/json' };
  const send = async () => {
    while (group.kills() === before) {
      if (performance.now() > endMs) throw new Error('The kernel killed no process.');
      const request = fetch(`${origin}/v1/pets`, { method: 'POST', headers, body: LARGE });
      await request.then((response) => response.text()).catch(() => sleep(5));
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

/** A service in a control group whose memory is limited, as `MemoryMax` of systemd limits it. */
function memoryScene(limitBytes: number, workers: number): Scene {
  let group: MemoryGroup;
  return {
    async prepare() {
      const created = memoryGroup(limitBytes);
      if (created === undefined) throw new Error('This machine has no control group for memory.');
      group = created;
      return () => created.remove();
    },
    start({ database, has }) {
      const flags = ['--port', '0', '--log-level', 'warn', '--workers', `${workers}`];
      const serve = commandOf('serve', '--database', database, ...flags);
      const showsKey = !has('animals.db');
      return startCommand(group.command(serve), { limitMs: 60_000, showsKey });
    },
    async disturb({ service }: Disturbed): Promise<Left> {
      const before = childrenOf(service.pid);
      await exhaust(service, group);
      if (workers === 1) {
        await service.ended();
        return { isRunning: false };
      }
      await untilLogged(service, 'worker_exited');
      await until(async () => {
        const now = childrenOf(service.pid);
        const isReplaced = now.length === workers && now.some((one) => !before.includes(one));
        const ready = await fetch(`${service.origin}/readyz`).catch(() => undefined);
        return isReplaced && ready?.status === 200;
      });
      return { isRunning: true };
    },
  };
}

const MIGRATIONS = 'src/storage/sqlite/schema/migrations';

/** Unpacks the last version of the program with an older schema, and returns the command that runs it. */
function unpackOlder(folder: string): string[] {
  const newest = runCommand('git', 'ls-files', `${MIGRATIONS}/*.sql`).split('\n').at(-1) ?? '';
  const commit = runCommand('git', 'log', '--format=%H', '--diff-filter=A', '--', newest);
  if (commit === '') throw new Error(`It needs the history of ${newest}.`);
  runCommand('sh', '-c', `git archive ${commit}^ | tar -x -C "$0"`, folder);
  symlinkSync(`${ROOT}node_modules`, join(folder, 'node_modules'));
  return [process.execPath, join(folder, 'src/main.ts')];
}

/** The refusal of a newer schema. */
const NEWER = /has schema version \d+, but this program knows only/;

const startNewer = ({ database }: Workplace) => startService(database, ['--log-level', 'error']);

/** The older program serves. The newer one starts on the same file, migrates it, and serves half of the clients. */
function versionsScene(): Scene {
  let older: readonly string[] = [];
  return {
    async prepare() {
      const folder = temporaryFolder();
      older = unpackOlder(folder.path);
      return () => folder.remove();
    },
    start(place) {
      if (place.has('animals.db')) return startNewer(place);
      const serve = [...older, 'serve', '--database', place.database, '--port', '0'];
      return startCommand([...serve, '--log-level', 'error']);
    },
    async disturb({ service, place, random, divert }: Disturbed): Promise<Left> {
      await withService(await startNewer(place), async (newer) => {
        divert(newer.origin);
        await sleep(random() * MAX_UPTIME_MS);
        divert(undefined);
        await newer.stop();
      });
      await sleep(random() * MAX_UPTIME_MS);
      service.signal('SIGKILL');
      await service.ended();
      const { stderr } = await runProgram([...older, 'check', '--database', place.database]);
      const problems = NEWER.test(stderr) ? [] : [`the older program said: ${stderr}`];
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
      method: `The same with two workers and ${LIMIT_OF_WORKERS_BYTES / 2 ** 20} MiB. The supervisor must start another worker, and the service be ready.`,
      ...described,
      asRoot: true,
    },
    memoryScene(LIMIT_OF_WORKERS_BYTES, 2),
  ),
  'two-versions': trialOfScene(
    {
      promise: 'Two versions of the program on one file lose nothing acknowledged.',
      method:
        'The last version with an older schema serves. The current version starts on the same file, migrates it under load, and serves half of the clients, until it is stopped. The older one goes on, and is killed. It must then refuse the file.',
      ...described,
      tools: ['git', 'tar'],
    },
    versionsScene(),
  ),
};
