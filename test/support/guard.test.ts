/** Each process that a test starts ends with the run of the tests. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRunning } from '../process/children.ts';
import { GUARD, spawnGuarded } from './guard.ts';
import { importGraph } from './imports.ts';
import { inWorkplace, ROOT, until } from './process.ts';

const pathOf = (file: string): string => JSON.stringify(join(ROOT, 'test', file));

/** Starts processes, writes their ids to a file, and fails or waits. */
const STARTING = `
  import { test } from 'bun:test';
  import { readFileSync, renameSync } from 'node:fs';
  import { childrenOf } from ${pathOf('process/children.ts')};
  import { spawnGuarded } from ${pathOf('support/guard.ts')};
  import { sharedPostgres } from ${pathOf('support/postgres-server.ts')};
  import { startService } from ${pathOf('support/process.ts')};
  const own = (name) => import.meta.dir + '/' + name;
  // The runtime then ends all processes that tests have started, the guard included.
  test.if(process.env.EXCEEDS)('exceeds its timeout', async () => {
    spawnGuarded(['sleep', '60']);
    await new Promise(() => {});
  }, 500);
  test('starts processes', async () => {
    const { pid } = await startService(own('animals.db'), ['--workers', '2']);
    const [row] = await (await sharedPostgres()).sql\`SHOW data_directory\`;
    const lock = readFileSync(row.data_directory + '/postmaster.pid', 'utf8');
    const ids = { service: [pid], workers: childrenOf(pid), postgres: [parseInt(lock)] };
    await Bun.write(own('started.part'), JSON.stringify({ ids, folder: row.data_directory }));
    renameSync(own('started.part'), own('started.json'));
    if (process.env.WAITS) await new Promise(() => {});
    throw new Error('It fails.');
  }, 60_000);`;

const PASSING = `require('bun:test').test('passes', () => {});`;

interface Started {
  readonly ids: Readonly<Record<string, readonly number[]>>;
  /** The data of PostgreSQL. */
  readonly folder: string;
}

interface Run {
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly signal?: NodeJS.Signals;
}

const WAITS = { WAITS: 'yes' };

test.each<[string, Run]>([
  ['a failure with --bail after a timeout', { flags: ['--bail=2'], variables: { EXCEEDS: 'yes' } }],
  [
    'SIGKILL of a run in parallel',
    { flags: ['--parallel=2'], variables: WAITS, signal: 'SIGKILL' },
  ],
])(
  'no service, worker or server of a database remains after %s, nor its folder',
  (_how, { flags = [], variables = {}, signal }) =>
    inWorkplace(async ({ file, write }) => {
      const files = [await write('a.test.ts', STARTING), await write('b.test.ts', PASSING)];
      const run = spawnGuarded([process.execPath, 'test', ...flags, ...files], {
        env: { ...process.env, ...variables },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const output = new Response(run.stderr).text();
      while (!existsSync(file('started.json')) && run.exitCode === null) await Bun.sleep(5);
      if (!existsSync(file('started.json'))) throw new Error(await output);
      const { ids: started, folder } = (await Bun.file(file('started.json')).json()) as Started;
      expect(Object.values(started).flat()).toHaveLength(4);
      if (signal) run.kill(signal);
      await run.exited;
      const remaining = () => Object.entries(started).filter(([, ids]) => ids.some(isRunning));
      await until(() => remaining().length === 0).catch(() => {});
      const left = remaining();
      Bun.spawnSync(['kill', '-KILL', ...left.flatMap(([, ids]) => ids.map(String))]);
      expect(left).toEqual([]);
      await until(() => !existsSync(dirname(folder)));
    })(),
);

test.each<[string, (run: number, program: number) => void]>([
  ['SIGINT to all processes of a terminal', (run) => process.kill(-run, 'SIGINT')],
  ['SIGHUP to all processes of a terminal', (run) => process.kill(-run, 'SIGHUP')],
  [
    'SIGSTOP to itself and a kill of the test',
    (run, program) => {
      process.kill(program, 'SIGSTOP');
      process.kill(run, 'SIGKILL');
    },
  ],
])('a program that runs until its standard input is closed ends after %s', async (_what, end) => {
  const command = ['sh', '-c', GUARD, 'sh', 'sh', '-c', 'trap "" HUP; echo $$; exec sleep 60'];
  const program = `
      Bun.spawn(${JSON.stringify(command)}, { stdio: ['pipe', 'inherit', 'ignore'] });
      setInterval(() => {}, 1_000);`;
  const run = spawnGuarded([process.execPath, '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const { value } = await run.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value));
  end(run.pid, pid);
  await run.exited;
  await until(() => !isRunning(pid)).catch(() => {});
  const isLeft = isRunning(pid);
  if (isLeft) process.kill(pid, 'SIGKILL');
  expect(isLeft).toBe(false);
});

/** These files have scripts that end their processes, in order, when standard input is closed. */
const OWN_GUARD = /\bGUARD\b/;

test('all tests start guarded processes', () => {
  const unguarded = /\bBun\.spawn\(|(?<!guarded\(\s*)\bspawn\(/;
  const files = [...importGraph('test').keys()].filter((path) => {
    const text = readFileSync(path, 'utf8');
    return unguarded.test(text) && !OWN_GUARD.test(text);
  });
  expect(files).toEqual([]);
});
