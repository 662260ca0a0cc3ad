/** An installed package of the service is without the development dependencies, and so without Scalar. */
import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inWorkplace, ROOT, startCommand, TEST_LIMIT_MS } from '../support/process.ts';

test(
  'without the package of Scalar, /docs leads to the reference without scripts',
  inWorkplace(async (place) => {
    const root = place.file('animal-store');
    for (const name of ['src', 'docs', 'console', 'sdk/src', 'package.json', 'openapi.json']) {
      cpSync(join(ROOT, name), join(root, name), { recursive: true });
    }
    mkdirSync(join(root, 'node_modules'));
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (name === '@scalar') continue;
      symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name));
    }
    const main = join(root, 'src/main.ts');
    const service = await startCommand(
      [process.execPath, main, 'serve', '--database', place.database, '--port', '0'],
      { cwd: root },
    );
    const response = await fetch(`${service.origin}/docs`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([307, 'docs/plain']);
    const plain = await fetch(`${service.origin}/docs`);
    expect([plain.status, plain.url]).toEqual([200, `${service.origin}/docs/plain`]);
    expect(await plain.text()).not.toContain('Try it');
    await service.stop();
  }),
  TEST_LIMIT_MS,
);
