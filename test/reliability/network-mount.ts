import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { spawnGuarded } from '../support/guard.ts';
import { animalStore, commandOf, runProgram, until } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { controlOf, type Outcome, type Trial } from './trial.ts';

const SFTP_SERVER = '/usr/lib/openssh/sftp-server';

/** sshfs and its server, connected by pipes in place of ssh. */
const MOUNT = `mkfifo to from && { ${SFTP_SERVER} < to > from & exec sshfs ":$1" "$2" -f -o passive > to < from; }`;

/** Commands that change a catalogue. */
const COMMANDS: readonly (readonly string[])[] = [
  ['serve', '--port', '0'],
  ['keys', 'create', '--name', 'first'],
  ['keys', 'revoke', '1'],
  ['keys', 'rotate', '1'],
  ['import', 'animals.jsonl'],
  ['renew-events'],
  ['restore', 'backup.db'],
];

/** The first of them also create a catalogue, and its folder. */
const CREATING = 2;

/** The commands that accept a database in this folder, a new one or an older one, as sentences. */
async function accepted(folder: string, cwd: string): Promise<string[]> {
  const problems: string[] = [];
  const older = `${folder}/older.db`;
  copyFileSync(`${cwd}/older.db`, older);
  const tries = COMMANDS.flatMap((command, index) => [
    { command, database: older },
    ...(index < CREATING ? [{ command, database: `${folder}/new-${index}/new.db` }] : []),
  ]);
  const before = readdirSync(folder);
  for (const { command, database } of tries) {
    const limited = ['timeout', '5', ...commandOf(...command, '--database', database)];
    const { status, stderr } = await runProgram(limited, { cwd });
    if (status !== 1 || !/^animal-store: \S+ is on a network mount \(fuse\.sshfs\)/.test(stderr))
      problems.push(`${command[0]} ended with ${status}: ${stderr.split('\n')[0]}`);
  }
  const created = readdirSync(folder).filter((name) => !before.includes(name));
  if (created.length > 0) problems.push(`${created} in the folder is new`);
  return problems;
}

/** Mounts a folder of this machine through sshfs while `work` runs. */
async function withMount<T>(work: (mount: string, cwd: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  const [remote, mount] = [folder.file('remote'), folder.file('mount')];
  for (const path of [remote, mount]) mkdirSync(path);
  await Bun.write(folder.file('animals.jsonl'), '{"name":"Rex","categoryId":1}\n');
  const created = await animalStore([
    'keys',
    'create',
    '--name',
    'older',
    '--database',
    folder.file('older.db'),
  ]);
  if (created.status !== 0) throw new Error(created.stderr);
  const args = ['backup', folder.file('backup.db'), '--database', folder.file('older.db')];
  const backedUp = await animalStore(args);
  if (backedUp.status !== 0) throw new Error(backedUp.stderr);
  const sshfs = spawnGuarded(['sh', '-c', MOUNT, 'sh', remote, mount], {
    cwd: folder.path,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await until(() => spawnSync('mountpoint', ['-q', mount]).status === 0);
    return await work(mount, folder.path);
  } finally {
    spawnSync('umount', ['--lazy', mount]);
    await sshfs.exited;
    folder.remove();
  }
}

/** A database on a file system of another machine. */
export const NETWORK_MOUNT: Trial = {
  promise: 'A database on a network mount is refused.',
  method: `A folder is mounted with sshfs, with a database of this version. ${[...new Set(COMMANDS.map(([name]) => `\`${name}\``))].join(', ')} must say that the file is on a network mount, and end with status 1 and without a new file or folder. NFS, CIFS and others are known by name, and were not mounted.`,
  unit: 'commands',
  isRandomSample: false,
  tools: ['sshfs', SFTP_SERVER],
  asRoot: true,
  limitMinutes: 5,
  async run(): Promise<Outcome> {
    const failures = await withMount(accepted);
    const local = await withMount((_mount, folder) => accepted(`${folder}/remote`, folder));
    return {
      trials: COMMANDS.length + CREATING,
      failures,
      figures: {},
      control: controlOf('a local folder', local, /^import ended with 0/),
    };
  },
};
