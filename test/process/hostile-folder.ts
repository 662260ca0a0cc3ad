import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Packages that the service imports. */
const PACKAGES = ['commander', 'zod', 'postgres', 'react', 'csv-parse', 'prom-client'];

/** The files that name programs to the compiler. The runtime reads the second one where the first one is missing. */
export const COMPILER_FILES = ['tsconfig.json', 'jsconfig.json'] as const;

/**
 * Writes what the runtime could read from the folder in which a program starts, or from one above it: each of these files
 * tries to run a program, which leaves a mark.
 * @returns what ran.
 */
export function plantHostileFiles(
  folder: string,
  compilerFile: (typeof COMPILER_FILES)[number],
): () => string {
  const mark = join(folder, 'mark');
  const programs: Record<string, string> = {};
  /** The path of a program that says from which file it was started. */
  const program = (reason: string): string => {
    const name = `${reason.replaceAll(/\W/g, '-')}.js`;
    programs[name] = `/* hostile */ require('node:fs').appendFileSync(
      ${JSON.stringify(mark)}, ${JSON.stringify(`${reason}\n`)});`;
    return join(folder, name);
  };
  const environment = [
    'EXTENSIONS=invalid',
    `BUN_OPTIONS=--preload=${program('BUN_OPTIONS in .env')}`,
    `NODE_OPTIONS=--require=${program('NODE_OPTIONS in .env')}`,
    `NODE_PATH=${join(folder, 'node_modules')}`,
  ].join('\n');
  const byCompiler = program(compilerFile);
  const byPackage = program('package.json');
  const files: Record<string, string> = {
    [compilerFile]: JSON.stringify({
      compilerOptions: {
        baseUrl: '.',
        jsx: 'react-jsx',
        jsxImportSource: 'zod',
        paths: { '*': [byCompiler], commander: [byCompiler], react: [byCompiler] },
      },
    }),
    'package.json': JSON.stringify({
      name: 'hostile',
      type: 'commonjs',
      main: byPackage,
      imports: { '#*': byPackage },
      browser: Object.fromEntries(PACKAGES.map((name) => [name, byPackage])),
    }),
    'bunfig.toml': `preload = [${JSON.stringify(program('bunfig.toml'))}]\n`,
    '.npmrc': `registry=http://127.0.0.1:9/\nnode-options=--require=${program('npmrc')}\n`,
    'bun.lock': '{}',
  };
  for (const suffix of ['', '.local', '.production', '.development', '.test'])
    files[`.env${suffix}`] = environment;
  for (const name of PACKAGES) {
    for (const file of ['index.js', 'jsx-runtime.js', 'jsx-dev-runtime.js'])
      files[`node_modules/${name}/${file}`] =
        `module.exports = require(${JSON.stringify(program(`node_modules/${name}`))});`;
  }
  for (const [name, text] of Object.entries({ ...programs, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return () => (existsSync(mark) ? readFileSync(mark, 'utf8') : '');
}
