/** With prepared statements, every command fails behind a pooler that shares sessions, and names the setting to change. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openScratch, type Scratch } from '../storage/postgres/scratch.ts';
import { startPooler } from '../support/pooler.ts';
import { animalStore, ONE_SENTENCE, workplace } from '../support/process.ts';

type Parameters = 'forwarded' | 'ignored' | 'refused';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await openScratch();
  await (await scratch.open()).close();
});
afterAll(() => scratch.remove());

const COMMANDS: [string, (url: string) => readonly string[]][] = [
  ['serve', (url) => ['serve', '--port', '0', '--database', url]],
  ['serve --workers', (url) => ['serve', '--port', '0', '--workers', '2', '--database', url]],
  ['keys', (url) => ['keys', 'list', '--database', url]],
  ['usage', (url) => ['usage', '--database', url]],
  ['import', (url) => ['import', '--format', 'ndjson', '-', '--database', url]],
  ['export', (url) => ['export', '--database', url]],
];

/** Runs a command behind a pooler that shares sessions. */
async function runBehind(parameters: Parameters, commandFor: (url: string) => readonly string[]) {
  const pooler = await startPooler(scratch.server, { parameters, sessions: 'shared' });
  const url = scratch.server.url(scratch.name, { port: pooler.port });
  using place = workplace();
  const outcome = await animalStore(commandFor(url), { cwd: place.path });
  await pooler.close();
  return outcome;
}

// test/storage/postgres/poolers.test.ts has the other poolers.
test.each(COMMANDS)('%s fails behind a pooler with one sentence', async (_name, commandFor) => {
  const { status, stdout, stderr } = await runBehind('forwarded', commandFor);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toContain(' goes through a pooler that ');
  expect(stderr).toEndWith('set DATABASE_PREPARED=off.\n');
});

test.each(['on', 'off'])(
  'copy --database-prepared %s refuses a pooler as its source, behind which it cannot see who uses the database',
  async (prepared) => {
    const flags = ['--to', 'copy.db', '--database-prepared', prepared];
    for (const parameters of ['forwarded', 'ignored', 'refused'] as const) {
      const { status, stderr } = await runBehind(parameters, (url) => [
        'copy',
        '--from',
        url,
        ...flags,
      ]);
      expect([status, stderr]).toEqual([
        1,
        'animal-store: The address of PostgreSQL leads to a pooler, behind which nobody can see who uses the database: name the address of the server itself.\n',
      ]);
    }
  },
);
