import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from '../../test/support/guard.ts';
import {
  type RunningService,
  startService,
  until,
  untilLogged,
  type Workplace,
} from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import {
  CLIENTS,
  type Disturbed,
  type Left,
  MAX_UPTIME_MS,
  PauseWatch,
  type Scene,
  trialOfScene,
} from './disturbed-round.ts';
import { runCommand as run } from './run-command.ts';
import type { Trial } from './trial.ts';

const ROUNDS = 20;
const SIZE = '32M';

const startWithLog = ({ database }: Workplace) => startService(database, ['--log-level', 'warn']);

/** Mounts a disk of its own as the folder of the database: ext4 in a file. */
async function mountDisk({ path }: Workplace): Promise<() => void> {
  const folder = temporaryFolder();
  const image = folder.file('disk');
  try {
    run('truncate', '--size', SIZE, image);
    run('mkfs.ext4', '-q', '-m', '0', image);
    run('mount', '-o', 'loop', image, path);
  } catch (error) {
    folder.remove();
    throw error;
  }
  return () => {
    spawnSync('umount', ['--lazy', path]);
    folder.remove();
  };
}

/** A disk without space for a while. */
const fullDisk: Scene = {
  start: startWithLog,
  prepare: mountDisk,
  mayRefuse: true,
  async disturb({ service, place, random, told }: Disturbed): Promise<Left> {
    const ballast = place.file('ballast');
    const { bavail, bsize } = statfsSync(place.path);
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    } catch (error) {
      // The service took a part of the space first.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    await untilLogged(service, 'writes_unavailable');
    await sleep(random() * MAX_UPTIME_MS);
    rmSync(ballast);
    await untilLogged(service, 'writes_available');
    const before = told.acknowledged;
    await until(() => told.acknowledged > before + CLIENTS);
    return { isRunning: true };
  },
};

/** Resolves when no thread of a process runs any more. A thread within a system call ends it first. */
async function pause({ pid, signal }: RunningService): Promise<void> {
  signal('SIGSTOP');
  const states = () =>
    readdirSync(`/proc/${pid}/task`).map((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').replace(/^.*\) /s, ''),
    );
  await until(() => states().every((state) => state.startsWith('T')));
}

/**
 * A disk that its file system makes read-only, as after an error. It is then repaired, and the service started again. No sync is
 * in progress: Linux 6.18 reports success for one that the abort interrupts.
 */
const readOnlyDisk: Scene = {
  start: startWithLog,
  prepare: mountDisk,
  mayRefuse: true,
  async disturb({ service, place, random }: Disturbed): Promise<Left> {
    await pause(service);
    run('mount', '-o', 'remount,abort', place.path);
    service.signal('SIGCONT');
    await sleep(random() * MAX_UPTIME_MS);
    const problems = (await isAlive(service.origin)) ? [] : ['the service did not answer'];
    service.signal('SIGKILL');
    await service.ended();
    const image = imageOf(place.path);
    run('umount', place.path);
    const { status } = spawnSync('fsck.ext4', ['-p', image]);
    if (status !== 0 && status !== 1) throw new Error(`fsck.ext4: ${status}`);
    run('mount', '-o', 'loop', image, place.path);
    return { isRunning: false, problems };
  },
};

const isAlive = async (origin: string): Promise<boolean> =>
  (await fetch(`${origin}/livez`).catch(() => undefined))?.status === 200;

/** The file with the disk that is mounted in a folder. */
function imageOf(folder: string): string {
  return run('losetup', '-n', '-O', 'BACK-FILE', run('findmnt', '-n', '-o', 'SOURCE', folder));
}

const SLOW_MS = 2_000;
/** A slow call may begin a little before the last response. */
const SEEN_MS = 0.9 * SLOW_MS;
const MAX_PAUSE_MS = 2 * SLOW_MS;

/** A call that takes long, on the file with this ending if one is given. */
const slowDisk = (calls: string, { slowMs = SLOW_MS, ending = '' } = {}): Scene => ({
  start: startWithLog,
  async disturb({ service, place, told }: Disturbed): Promise<Left> {
    const watch = new PauseWatch(told);
    const delay = `inject=${calls}:delay_exit=${slowMs * 1000}:when=2`;
    const file = ending === '' ? [] : ['-P', `${place.database}${ending}`];
    const traced = [...file, '-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', delay];
    const strace = spawnGuarded(['strace', '-p', `${service.pid}`, ...traced], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      const before = told.acknowledged;
      await until(() => watch.longestMs >= SEEN_MS && told.acknowledged > before + CLIENTS);
    } finally {
      strace.kill('SIGTERM');
      await strace.exited;
      watch.stop();
    }
    const pauseMs = watch.longestMs;
    const problems = pauseMs > MAX_PAUSE_MS ? [`no response for ${Math.round(pauseMs)} ms`] : [];
    return { isRunning: true, pauseMs, problems };
  },
});

const SYNCS = 'fdatasync,fsync';
const PAUSE_LIMIT = `there must be a response within ${MAX_PAUSE_MS / 1000} s.`;
const [WRITES, WAL] = ['pwrite64', '-wal'] as const;
const SLOWER_MS = 1.5 * MAX_PAUSE_MS;
const SLOWER_S = SLOWER_MS / 1000;
const names = /^no response for/;

const described = { unit: 'rounds', rounds: ROUNDS } as const;
const MOUNTING = { asRoot: true, tools: ['mkfs.ext4', 'mount', 'losetup', 'findmnt'] } as const;

/** Disks that are full, read-only or slow, under the database of a service on SQLite. */
export const DISKS: Readonly<Record<string, Trial>> = {
  'disk-full': trialOfScene(
    {
      promise: 'A full disk loses nothing acknowledged, and changes work again when it has space.',
      method: `The rest of a disk of ${SIZE} is filled, until the log has \`writes_unavailable\`, and freed within half a second.`,
      ...described,
      ...MOUNTING,
    },
    fullDisk,
  ),
  'disk-read-only': trialOfScene(
    {
      promise:
        'A disk that becomes read-only between two system calls loses nothing acknowledged, and `/livez` answers.',
      method:
        'The file system of the database stops with an error and is read-only (`mount -o remount,abort`). Afterwards the service is killed, the disk repaired, and the service started again.',
      ...described,
      ...MOUNTING,
    },
    readOnlyDisk,
  ),
  'disk-slow': trialOfScene(
    {
      promise: 'A sync of two seconds delays requests, and fails none.',
      method: `One sync takes 2 s. No request may fail, and ${PAUSE_LIMIT}`,
      ...described,
      tools: ['strace'],
      control: {
        fault: `a sync takes ${SLOWER_S} s`,
        scene: slowDisk(SYNCS, { slowMs: SLOWER_MS }),
        names,
      },
    },
    slowDisk(SYNCS),
  ),
  'disk-slow-write': trialOfScene(
    {
      promise: 'A write of two seconds delays requests, and fails none.',
      method: `One write to the \`-wal\` takes 2 s. No request may fail, and ${PAUSE_LIMIT}`,
      ...described,
      tools: ['strace'],
      control: {
        fault: `a write takes ${SLOWER_S} s`,
        scene: slowDisk(WRITES, { slowMs: SLOWER_MS, ending: WAL }),
        names,
      },
    },
    slowDisk(WRITES, { ending: WAL }),
  ),
};
