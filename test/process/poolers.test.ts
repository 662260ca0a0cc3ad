/** With prepared statements, every command fails behind a pooler that shares sessions, and names the setting to change. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openScratch, type Scratch } from '../storage/postgres/scratch.ts';
import { startPooler } from '../support/pooler.ts';
import { animalStore, inWorkplace, ONE_SENTENCE } from '../support/process.ts';

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

test.each(COMMANDS)('%s fails behind a pooler with one sentence', (_name, commandFor) =>
  inWorkplace(async ({ path: cwd }) => {
    for (const parameters of ['forwarded', 'ignored', 'refused'] satisfies Parameters[]) {
      const pooler = await startPooler(scratch.server, { parameters, sessions: 'shared' });
      const url = scratch.server.url(scratch.name, { port: pooler.port });
      const { status, stdout, stderr } = await animalStore(commandFor(url), { cwd });
      await pooler.close();
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(ONE_SENTENCE);
      expect(stderr).toContain(' goes through a pooler that ');
      expect(stderr).toEndWith('set DATABASE_PREPARED=off.\n');
    }
  })(),
);

test.each(['on', 'off'])(
  'copy --database-prepared %s refuses a pooler as its source, behind which it cannot see who uses the database',
  (prepared) =>
    inWorkplace(async ({ path: cwd }) => {
      for (const parameters of ['forwarded', 'ignored', 'refused'] satisfies Parameters[]) {
        const pooler = await startPooler(scratch.server, { parameters, sessions: 'shared' });
        const url = scratch.server.url(scratch.name, { port: pooler.port });
        const command = ['copy', '--from', url, '--to', 'copy.db'];
        const { status, stderr } = await animalStore(
          [...command, '--database-prepared', prepared],
          { cwd },
        );
        await pooler.close();
        expect([status, stderr]).toEqual([
          1,
          'animal-store: The address of PostgreSQL leads to a pooler, behind which nobody can see who uses the database: name the address of the server itself.\n',
        ]);
      }
    })(),
);
