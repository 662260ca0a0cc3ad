/** The examples of the SDK's README are one program that prints what the README says. They and the programs of `docs/examples` compile. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readExample } from '../support/guide-program.ts';
import { ROOT, runProgram } from '../support/process.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { installSdk } from './packages.ts';

const README = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8');
const EXAMPLES = [...README.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
const PROGRAM = EXAMPLES.join('\n');

let folder: ReturnType<typeof temporaryFolder>;
let service: SocketService;
beforeAll(async () => {
  folder = temporaryFolder();
  service = await listen();
  await installSdk(folder.path);
});
afterAll(async () => {
  await service.close();
  folder.remove();
});

test('the examples print what they show', async () => {
  const expected = [...PROGRAM.matchAll(/^\/\/ → (.*)$/gm)].map(([, line]) => line);
  const program = folder.file('examples.ts');
  await Bun.write(program, PROGRAM.replaceAll('http://127.0.0.1:8080', service.origin));
  const variables = { KEY: service.key };
  const { stdout, stderr } = await runProgram([process.execPath, program], { variables });
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toEqual(expected as string[]);
});

test('the examples and the programs of the recipes compile', async () => {
  const programs = ['shop', 'load', 'mirror', 'receiver'];
  await Bun.write(folder.file('readme.ts'), PROGRAM);
  for (const name of programs) {
    await Bun.write(folder.file(`${name}.ts`), readExample(`${name}.ts`));
  }
  // The shop is also for projects with CommonJS.
  await Bun.write(folder.file('shop-commonjs.cts'), readExample('shop.ts'));
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'ES2022', module: 'NodeNext', lib: ['ES2022', 'DOM'] },
    ...{
      types: ['node', 'bun'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      skipLibCheck: true,
    },
  };
  const config = JSON.stringify({
    compilerOptions,
    files: [...['readme', ...programs].map((name) => `${name}.ts`), 'shop-commonjs.cts'],
  });
  await Bun.write(folder.file('tsconfig.json'), config);
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  expect((await runProgram([tsc, '-p', folder.path])).stdout).toBe('');
});
