/** A signal ends a command that writes a file, which leaves the previous file and no other. */
import { expect, test } from 'bun:test';
import { until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { spawnAnimalStore } from './children.ts';
import { sharedCatalogue } from './maintained.ts';

const place = useEach(workplace);

/** Large enough for a signal in the middle of a command. */
const copyCatalogue = sharedCatalogue(100_000);

// follow-events.test.ts has SIGTERM, which the same function handles.
test.each([
  ['SIGINT', 'backup', ['--replace'], 'Nothing was backed up.'],
  ['SIGHUP', 'export', ['--output'], 'Nothing was exported.'],
] as const)('%s ends %s with status 1', async (signal, command, flags, consequence) => {
  const { database, files, read, write } = place;
  copyCatalogue(database);
  const output = await write('out', 'yesterday');
  const args = [command, ...flags, output, '--database', database];
  const child = spawnAnimalStore(args, { stdout: 'ignore', stderr: 'pipe' });
  await until(() => files().some((name) => name.endsWith('unfinished')));
  child.kill(signal);
  expect(await new Response(child.stderr).text()).toBe(
    `animal-store: Interrupted. ${consequence}\n`,
  );
  expect(await child.exited).toBe(1);
  // The interrupted connection may leave files that belong to the database.
  expect(files().filter((name) => !name.startsWith('animals.db'))).toEqual(['out']);
  expect(read('out').toString()).toBe('yesterday');
});
