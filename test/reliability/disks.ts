import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from '../support/guard.ts';
import { startService, until, untilLogged, type Workplace } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  CLIENTS,
  type Disturbed,
  type Left,
  MAX_UPTIME_MS,
  PauseWatch,
  type Scene,
  trialOfScene,
} from './disturbed-round.ts';
import type { Trial } from './trial.ts';

const ROUNDS = 20;
const SIZE = '32M';

function run(...command: readonly string[]): void {
  const [program = '', ...args] = command;
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}

const startWithLog = ({ database }: Workplace) => startService(database, ['--log-level', 'warn']);

/** Mounts a disk of its own as the folder of the database: ext4 in a file. */
async function mountDisk({ path }: Workplace): Promise<() => Promise<void>> {
  const folder = temporaryFolder();
  const image = folder.file('disk');
  run('truncate', '--size', SIZE, image);
  run('mkfs.ext4', '-q', '-m', '0', image);
  run('mount', '-o', 'loop', image, path);
  return async () => {
    run('umount', path);
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

/** A disk that its file system makes read-only, as after an error. The machine is then repaired, and the service started again. */
const readOnlyDisk: Scene = {
  start: startWithLog,
  prepare: mountDisk,
  mayRefuse: true,
  async disturb({ service, place, random }: Disturbed): Promise<Left> {
    run('mount', '-o', 'remount,abort', place.path);
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
  const source = spawnSync('findmnt', ['-n', '-o', 'SOURCE', folder], { encoding: 'utf8' });
  const device = source.stdout.trim();
  const { stdout } = spawnSync('losetup', ['-n', '-O', 'BACK-FILE', device], { encoding: 'utf8' });
  return stdout.trim();
}

const SLOW_MS = 2_000;
/** The clients may hear of the batch before when the slow sync has begun. */
const SEEN_MS = 0.9 * SLOW_MS;
const MAX_PAUSE_MS = 2 * SLOW_MS;

/** A sync that takes long. */
const slowDisk: Scene = {
  start: startWithLog,
  async disturb({ service, told }: Disturbed): Promise<Left> {
    const watch = new PauseWatch(told);
    const delay = `inject=fdatasync,fsync:delay_exit=${SLOW_MS * 1000}:when=2`;
    const strace = spawnGuarded(
      [
        'strace',
        '-f',
        '-qq',
        '-p',
        `${service.pid}`,
        '-o',
        '/dev/null',
        '-e',
        'trace=fdatasync,fsync',
        '-e',
        delay,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const before = told.acknowledged;
    await until(() => watch.longestMs >= SEEN_MS && told.acknowledged > before + CLIENTS);
    strace.kill('SIGTERM');
    await strace.exited;
    watch.stop();
    const pauseMs = watch.longestMs;
    const problems = pauseMs > MAX_PAUSE_MS ? [`no response for ${Math.round(pauseMs)} ms`] : [];
    return { isRunning: true, pauseMs, problems };
  },
};

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
      promise: 'A disk that becomes read-only loses nothing acknowledged, and `/livez` answers.',
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
      method: 'One sync takes 2 s. No request may fail, and none may wait for more than 4 s.',
      ...described,
      tools: ['strace'],
    },
    slowDisk,
  ),
};
