import { openPostgres } from '../../src/storage/postgres/open.ts';
import { fillCatalogue } from '../../test/storage/full-catalogue.ts';
import { openScratch, type Scratch } from '../../test/storage/postgres/scratch.ts';
import { startForwarder } from '../../test/support/forwarder.ts';
import { spawnGuarded } from '../../test/support/guard.ts';
import { sharedPostgres } from '../../test/support/postgres-server.ts';
import { commandOf, type Outcome, ROOT, until, workplace } from '../../test/support/process.ts';
import { type Content, contentOf, differing, faultsIn } from './content.ts';
import { deviations, stateAfter } from './effect.ts';
import { succeed, type Transaction } from './file-command.ts';
import { copyPlace, killedService } from './file-places.ts';
import { fillFirstDatabase } from './first-schema.ts';
import { type Attempt, type KilledCommand, killedCommand } from './killed-command.ts';

/** A command on a database of its own. */
interface ServerCommand {
  readonly name: string;
  readonly fault: string;
  readonly names: RegExp;
  /** Fills the database that each attempt copies. */
  readonly prepare: (scratch: Scratch) => Promise<unknown>;
  /** Whether the command reads the file of a killed service. Its rows are then those of before. */
  readonly readsFile?: true;
  readonly args: (url: string, file: string) => readonly string[];
  /** What the killed command left, and what is left after it was run again. */
  readonly judge: (url: string, before: Content, file: string) => Promise<string[]>;
  /** Statements that leave what a worse command would have left. */
  readonly plant: string;
}

/** Runs a command, which SIGKILL ends when the server has received so many of its messages. */
async function killAfter(
  scratch: Scratch,
  messages: number,
  args: (url: string) => readonly string[],
): Promise<Outcome & { readonly messages: number }> {
  let count = 0;
  let kill = () => {};
  const onBytes = (direction: string) => {
    if (direction === 'to server' && ++count === messages) kill();
  };
  const forwarder = await startForwarder(scratch.server, { onBytes });
  try {
    const url = scratch.server.url(scratch.name, { port: forwarder.port });
    const child = spawnGuarded(commandOf(...args(url)), {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '' },
    });
    kill = () => child.kill('SIGKILL');
    const stderr = await new Response(child.stderr).text();
    await child.exited;
    return { status: child.exitCode, stdout: '', stderr, messages: count };
  } finally {
    await forwarder.close();
  }
}

/** A statement that runs when its client is killed is completed by the server. */
const untilEnded = (scratch: Scratch): Promise<void> =>
  until(async () => (await scratch.backends()).length === 0);

function onServer(command: ServerCommand): KilledCommand {
  const prepare = async () => {
    const scratch = await openScratch();
    await command.prepare(scratch);
    await scratch.sql.end();
    const source = command.readsFile && (await killedService());
    const copy = await copyOf(scratch.name);
    const file = source && (await copyPlace(source));
    const before = await contentOf(file?.database ?? copy.url);
    file?.remove();
    await copy.remove();
    return { template: scratch.name, source, before };
  };
  let prepared: ReturnType<typeof prepare> | undefined;
  const open = async () => {
    prepared ??= prepare();
    const { template, source, before } = await prepared;
    const place = source === undefined ? workplace() : await copyPlace(source);
    const scratch = await copyOf(template);
    return {
      scratch,
      before,
      file: place.database,
      kill: (messages: number) =>
        killAfter(scratch, messages, (url) => command.args(url, place.database)),
      async remove() {
        place.remove();
        await scratch.remove();
      },
    };
  };
  const attempt = async (): Promise<Attempt<number>> => {
    const { scratch, before, file, kill, remove } = await open();
    return {
      kill,
      async judge() {
        await untilEnded(scratch);
        return command.judge(scratch.url, before, file);
      },
      async plant() {
        await untilEnded(scratch);
        await scratch.sql.unsafe(command.plant);
      },
      remove,
    };
  };
  return killedCommand({
    name: `${command.name} on PostgreSQL`,
    fault: command.fault,
    names: command.names,
    describe: (messages) => `the response to message ${messages}`,
    attempt,
    async steps() {
      const { kill, remove } = await open();
      const { messages, status, stderr } = await kill(Number.POSITIVE_INFINITY);
      await remove();
      if (status !== 0) throw new Error(stderr);
      return Array.from({ length: messages }, (_, index) => index + 1);
    },
  });
}

/** A scratch on a copy of a database. */
async function copyOf(template: string): Promise<Scratch> {
  const server = await sharedPostgres();
  return openScratch({ ...server, createDatabase: () => server.createDatabase(template) });
}

async function fill({ url }: Scratch): Promise<void> {
  const database = await openPostgres(url, { connections: 2 });
  await fillCatalogue(database);
  await database.close();
}

export const transactionOnServer = ({
  name,
  args,
  effect,
  isRepeatable = false,
}: Transaction): KilledCommand =>
  onServer({
    name,
    fault: 'an API key is deleted after the kill',
    names: /^api_keys: /,
    prepare: fill,
    args: (url) => [...args, '--database', url],
    async judge(url, before) {
      const faults = await faultsIn(url);
      const state = stateAfter(before, await contentOf(url), effect);
      const problems = typeof state === 'string' ? faults : [...faults, ...state];
      if (state !== 'complete' || isRepeatable)
        problems.push(...(await succeed([...args, '--database', url])));
      const content = await contentOf(url);
      return [...problems, ...(await faultsIn(url)), ...deviations(before, content, effect)];
    },
    plant: 'DELETE FROM animal_store.api_keys WHERE id = 4',
  });

/** The rows of before, in a database that may have an old schema. */
const judgeMigrated = async (url: string, before: Content): Promise<string[]> => {
  const faults = await faultsIn(url);
  const failed = await succeed(['migrate', '--database', url]);
  const differs = differing(await contentOf(url), before).map((part) => `${part} differs`);
  return [...faults, ...failed, ...differs, ...(await faultsIn(url))];
};

/** `migrate` of a database that the first version wrote. */
export const MIGRATE_SERVER = onServer({
  name: 'migrate',
  fault: 'the first animal is deleted',
  names: /^pets differs$/,
  prepare: ({ url, sql }) => fillFirstDatabase(url, sql),
  args: (url) => ['migrate', '--database', url],
  judge: judgeMigrated,
  plant: 'DELETE FROM animal_store.pets WHERE id = (SELECT min(id) FROM animal_store.pets)',
});

/** `copy` from the file of a killed service. */
export const COPY_TO_SERVER = onServer({
  name: 'copy',
  fault: 'the target gets a row',
  names: /^the target has a part of the source$/,
  readsFile: true,
  prepare: async ({ url }) => (await openPostgres(url, { connections: 2 })).close(),
  args: (url, file) => ['copy', '--from', file, '--to', url],
  async judge(url, before, file) {
    const problems = await faultsIn(url);
    const target = await contentOf(url);
    const isEmpty = Object.values(target).every(({ length }) => length === 0);
    if (!isEmpty && differing(target, before).length > 0)
      problems.push('the target has a part of the source');
    problems.push(...(await succeed(['copy', '--from', file, '--to', url])));
    const differs = differing(await contentOf(url), before).map((part) => `${part} differs`);
    const isSourceSame = differing(await contentOf(file), before).length === 0;
    const changed = isSourceSame ? [] : ['the source has changed'];
    return [...problems, ...differs, ...changed, ...(await faultsIn(url))];
  },
  plant: "INSERT INTO animal_store.categories (id, name) VALUES (77, 'dogs')",
});
