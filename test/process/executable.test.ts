/** The executable that the tests of processes start. The drill of the same name builds it as the image does. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { commandOf, startCommand, workplace } from '../support/process.ts';
import { plantHostileFiles } from './hostile-folder.ts';

/** More than any script of the console has, compressed, and less than the development version of React. */
const MAX_SCRIPT_BYTES = 150_000;

// The sources read the folder in which they start: `bin/animal-store` prevents that.
test.skipIf(commandOf().length > 1)(
  'it serves small pages, and runs nothing of the folder in which it starts, or of those above it',
  async () => {
    using place = workplace();
    const cwd = join(place.path, 'current');
    const above = plantHostileFiles(place.path, 'tsconfig.json');
    const current = plantHostileFiles(cwd, 'jsconfig.json');
    const service = await startCommand(commandOf('serve', '--port', '0'), { cwd });
    const load = async (path: string) => (await fetch(service.origin + path)).text();
    const scripts = [...(await load('/')).matchAll(/"\.(\/console\/[^"]+\.(?:js|css))"/g)];
    expect(scripts).toHaveLength(2);
    for (const [, path = ''] of scripts)
      expect(Bun.gzipSync(await load(path), { level: 9 }).length).toBeWithin(
        1_000,
        MAX_SCRIPT_BYTES,
      );
    expect(await load('/docs')).toContain('<form class="send"');
    expect((await service.stop()).status).toBe(0);
    expect(above() + current()).toBe('');
  },
);
