import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { withFile } from '../../test/process/maintained.ts';
import { spawnGuarded } from '../../test/support/guard.ts';
import { animalStore, commandOf, runProgram, until } from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { controlOf, type Outcome, type Trial } from './trial.ts';

const SFTP_SERVER = '/usr/lib/openssh/sftp-server';

/** sshfs and its server, connected by pipes in place of ssh. */
const MOUNT = `mkfifo to from && { ${SFTP_SERVER} < to > from & exec sshfs ":$1" "$2" -f -o passive > to < from; }`;

/** Commands that open a catalogue to change it, create it or upgrade its schema: the file in the folder, then the command. */
const REFUSED: readonly (readonly [file: string, ...command: string[]])[] = [
  ['animals.db', 'serve', '--port', '0'],
  ['first/new.db', 'serve', '--port', '0'],
  ['animals.db', 'keys', 'create', '--name', 'first'],
  ['second/new.db', 'keys', 'create', '--name', 'first'],
  ['animals.db', 'keys', 'revoke', '1'],
  ['animals.db', 'keys', 'rotate', '1'],
  ['animals.db', 'import', 'animals.jsonl'],
  ['animals.db', 'renew-events'],
  ['animals.db', 'restore', 'backup.db'],
  ['animals.db', 'export'],
  ['animals.db', 'copy', '--to', 'filled.db'],
  ['wrong.db', 'check', '--repair'],
  ['bound.db', 'serve', '--port', '0'],
  ['bound.db', 'keys', 'create', '--name', 'first'],
  ['bound.db', 'import', 'animals.jsonl'],
  ['bound.db', 'restore', 'backup.db'],
  ['bound.db', 'check', '--repair'],
];

/** Commands that only read it. */
const READING: typeof REFUSED = [
  ['animals.db', 'check'],
  ['animals.db', 'status'],
  ['animals.db', 'backup', 'copied.db'],
  ['bound.db', 'status'],
];

const listed = (commands: typeof REFUSED): string =>
  [...new Set(commands.map(([, name]) => `\`${name}\``))].join(', ');

/** A file of the mount that is mounted alone into a local folder, as containers do. */
const BOUND = 'bound/bound.db';

/** The catalogues that the commands find: `wrong.db` has a wrong count, which `check` can repair. */
const FILES = ['animals.db', 'wrong.db'];

/** What the commands do in this folder that they must not do on a network mount, as sentences. */
async function judge(folder: string, cwd: string): Promise<string[]> {
  const problems: string[] = [];
  for (const file of FILES) copyFileSync(`${cwd}/${file}`, `${folder}/${file}`);
  const bound = `${cwd}/${BOUND}`;
  mkdirSync(dirname(bound), { recursive: true });
  writeFileSync(bound, '');
  spawnSync('mount', ['--bind', `${folder}/wrong.db`, bound]);
  const run = ([file, ...command]: (typeof REFUSED)[number]) => {
    const option = command[0] === 'copy' ? '--from' : '--database';
    const path = BOUND.endsWith(file) ? bound : `${folder}/${file}`;
    const limited = ['timeout', '5', ...commandOf(...command, option, path)];
    return runProgram(limited, { cwd });
  };
  for (const command of REFUSED) {
    const { status, stderr } = await run(command);
    if (status !== 1 || !/^animal-store: \S+ is on a network mount \(fuse\.sshfs\)/.test(stderr))
      problems.push(`${command[1]} ended with ${status}: ${stderr.split('\n')[0]}`);
  }
  for (const command of READING) {
    const { status, stderr } = await run(command);
    if (status !== 0) problems.push(`${command[1]} ended with ${status}: ${stderr.split('\n')[0]}`);
  }
  spawnSync('umount', [bound]);
  const created = [folder, dirname(bound)]
    .flatMap((path) => readdirSync(path))
    .filter((name) => ![...FILES, basename(bound)].includes(name));
  if (created.length > 0) problems.push(`${created} in the folder is new`);
  for (const file of FILES)
    if (!readFileSync(`${folder}/${file}`).equals(readFileSync(`${cwd}/${file}`)))
      problems.push(`${file} was changed`);
  return problems;
}

/** Writes the files that the commands use. */
async function prepare(file: (name: string) => string): Promise<void> {
  await Bun.write(file('animals.jsonl'), '{"name":"Rex","categoryId":1}\n');
  const database = ['--database', file('animals.db')];
  for (const command of [
    ['keys', 'create', '--name', 'older', ...database],
    ['backup', file('backup.db'), ...database],
  ]) {
    const { status, stderr } = await animalStore(command);
    if (status !== 0) throw new Error(stderr);
  }
  copyFileSync(file('animals.db'), file('wrong.db'));
  withFile(file('wrong.db'), (connection) =>
    connection.run('INSERT INTO category_counts VALUES (1, 0, 0, 5, 0)'),
  );
}

/** Mounts a folder of this machine through sshfs while `work` runs. */
async function withMount<T>(work: (mount: string, cwd: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  const [remote, mount] = [folder.file('remote'), folder.file('mount')];
  for (const path of [remote, mount]) mkdirSync(path);
  await prepare(folder.file);
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
  promise: 'A database on a network mount is refused. It can be checked and backed up.',
  method: `A folder is mounted with sshfs, with a database of this version. It is also mounted alone into a local folder, as containers mount files. ${listed(REFUSED)} must say that the file is on a network mount, and end with status 1. ${listed(READING)} must read it. None may change it, or create a file or folder beside it. NFS, CIFS and others are known by name, and were not mounted.`,
  unit: 'commands',
  isRandomSample: false,
  tools: ['sshfs', SFTP_SERVER],
  asRoot: true,
  limitMinutes: 5,
  async run(): Promise<Outcome> {
    const failures = await withMount(judge);
    const local = await withMount((_mount, folder) => judge(`${folder}/remote`, folder));
    return {
      trials: REFUSED.length + READING.length,
      failures,
      figures: {},
      control: controlOf('a local folder', local, /^import ended with 0/),
    };
  },
};
