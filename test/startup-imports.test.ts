/** A start takes as long as loading its code, so code that few need is loaded when it is needed. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const transpiler = new Bun.Transpiler({ loader: 'ts' });

/** What a file imports when it is loaded: not types, and not what it imports later. */
function importsOf(path: string): string[] {
  const imports = transpiler.scanImports(readFileSync(path, 'utf8'));
  return imports.filter(({ kind }) => kind === 'import-statement').map((found) => found.path);
}

/** The files and packages that are loaded with a file. */
function loadedWith(entry: string): Set<string> {
  const loaded = new Set([entry]);
  for (const path of loaded) {
    if (!path.endsWith('.ts')) continue;
    for (const name of importsOf(path)) {
      loaded.add(name.startsWith('.') ? join(dirname(path), name) : name);
    }
  }
  return loaded;
}

describe('serve is loaded without', () => {
  const loaded = loadedWith('src/cli/serve.ts');

  test.each([
    ['the library of the metrics', 'prom-client'],
    ['the driver of PostgreSQL', 'postgres'],
    ['the supervisor of workers', 'src/server/supervise-workers.ts'],
    ['the OpenAPI document', 'src/http/document/openapi.ts'],
    ['the reference for integrators', 'src/reference/plain-files.ts'],
    ['imports', 'src/transfer/files/read-rows.ts'],
  ])('%s', (_what, name) => {
    expect(loaded.has('src/server/server.ts')).toBe(true);
    expect(loaded.has(name)).toBe(false);
  });
});

test('an import is loaded without the server', () => {
  const loaded = loadedWith('src/cli/import.ts');
  expect(loaded.has('src/transfer/files/read-rows.ts')).toBe(true);
  expect(loaded.has('src/server/server.ts')).toBe(false);
});
