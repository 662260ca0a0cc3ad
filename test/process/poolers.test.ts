/** With prepared statements, every command fails behind a pooler that shares sessions, and names the setting to change. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openScratch, type Scratch } from '../storage/postgres/scratch.ts';
import { startPooler } from '../support/pooler.ts';
import { animalStore, workplace } from '../support/process.ts';
import { expectRefused } from './maintained.ts';

type Parameters = 'forwarded' | 'ignored' | 'refused';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await openScratch();
  await (await scratch.open()).close();
});
afterAll(() => scratch.remove());

/** Runs a command behind a pooler that shares sessions. */
async function runBehind(parameters: Parameters, command: string) {
  const pooler = await startPooler(scratch.server, { parameters, sessions: 'shared' });
  const url = scratch.server.url(scratch.name, { port: pooler.port });
  using place = workplace();
  const outcome = await animalStore([...command.split(' '), url], { cwd: place.path });
  await pooler.close();
  return outcome;
}

// test/storage/postgres/poolers.test.ts has the other poolers.
test.each([
  'serve --port 0 --database',
  'serve --port 0 --workers 2 --database',
  'keys list --database',
  'usage --database',
  'import --format ndjson - --database',
  'export --database',
])('%s fails behind a pooler with one sentence', async (command) => {
  const run = await runBehind('forwarded', command);
  expectRefused(run, ' goes through a pooler that ');
  expect(run.stderr).toEndWith('set DATABASE_PREPARED=off.\n');
});

test.each(['on', 'off'])(
  'copy --database-prepared %s refuses a pooler as its source, behind which it cannot see who uses the database',
  async (prepared) => {
    const command = `copy --to copy.db --database-prepared ${prepared} --from`;
    for (const parameters of ['forwarded', 'ignored', 'refused'] as const) {
      const { status, stderr } = await runBehind(parameters, command);
      expect([status, stderr]).toEqual([
        1,
        'animal-store: The address of PostgreSQL leads to a pooler, behind which nobody can see who uses the database: name the address of the server itself.\n',
      ]);
    }
  },
);
