/** The files of deploy/systemd, with the programs of Debian. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { handbookBlock } from '../../test/process/handbook.ts';
import {
  animalStore,
  commandOf,
  inWorkplace,
  ROOT,
  runProgram,
  type Workplace,
} from '../../test/support/process.ts';

const FOLDER = join(ROOT, 'deploy/systemd');
const SCRIPT = 'animal-store-backup';
const UNITS = readdirSync(FOLDER).filter((name) => name !== SCRIPT);

/** Copies the units, which name programs of this folder then. */
async function copyUnits(place: Workplace): Promise<void> {
  for (const name of UNITS) {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    await place.write(name, text.replaceAll('/usr/local/bin/', place.file('bin/')));
  }
  for (const name of ['animal-store', SCRIPT]) {
    await place.write(`bin/${name}`, '#!/bin/sh\n');
    chmodSync(place.file(`bin/${name}`), 0o755);
  }
}

const verify = (path: string) => runProgram(['systemd-analyze', 'verify', path]);

describe.skipIf(Bun.which('systemd-analyze') === null)('systemd accepts', () => {
  test.each(UNITS.map((name) => [name]))('%s', async (name) => {
    await inWorkplace(async (place) => {
      await copyUnits(place);
      const { status, stderr } = await verify(place.file(name));
      expect([status, stderr]).toEqual([0, '']);
    })();
  });

  test(
    'the lines of the handbook that add a credential',
    inWorkplace(async (place) => {
      await copyUnits(place);
      const lines = handbookBlock('postgresql', 'credential');
      await place.write('animal-store.service.d/override.conf', lines);
      const { status, stderr } = await verify(place.file('animal-store.service'));
      expect([status, stderr]).toEqual([0, '']);
    }),
  );
});

test.skipIf(Bun.which('rsync') === null)(
  'the unit of the backup and the settings of the handbook back up, and copy with rsync',
  inWorkplace(async (place) => {
    const unit = readFileSync(join(FOLDER, 'animal-store-backup@.service'), 'utf8');
    const variables = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, line = '']) => line);
    // systemd reads such lines like a shell, except that it leaves a dollar sign alone in quotes.
    const settings = handbookBlock('data', 'settings');
    const here = (text: string) =>
      text
        .replaceAll('%i', 'animal-store')
        .replaceAll('/var/lib/', place.file('lib/'))
        .replaceAll('/backups/', place.file('backups/'))
        .replaceAll('backup@offsite.example:animal-store/', place.file('offsite/'));
    for (const folder of ['backups/animal-store', 'offsite'])
      mkdirSync(place.file(folder), { recursive: true });
    const database = place.file('lib/animal-store/animal-store.db');
    const rex = '{"name":"Rex","categoryId":1}\n';
    const args = ['import', '-', '--format', 'ndjson', '--database', database];
    expect((await animalStore(args, { input: rex })).status).toBe(0);
    await place.write('bin/animal-store', `#!/bin/sh\nexec ${commandOf('"$@"').join(' ')}\n`);
    chmodSync(place.file('bin/animal-store'), 0o755);
    cpSync(join(FOLDER, SCRIPT), place.file(`bin/${SCRIPT}`));

    const PATH = `${place.file('bin')}:${process.env['PATH']}`;
    const script = [`set -a`, ...variables, settings, SCRIPT].map(here).join('\n');
    const { status, stderr } = await runProgram(['sh', '-ec', script], { variables: { PATH } });
    expect([status, stderr]).toEqual([0, expect.stringContaining('Backed up 1 animal,')]);
    const [copy = '', ...more] = readdirSync(place.file('offsite'));
    expect([copy, more]).toEqual([expect.stringMatching(/^animal-store-[\d-]+\.db$/), []]);
    const read = await animalStore(['export', '--database', place.file(`offsite/${copy}`)]);
    expect(read.stdout).toBe('{"id":1,"name":"Rex","categoryId":1}\n');
    expect(readdirSync(place.file('backups/animal-store'))).toEqual([copy]);
  }),
);
