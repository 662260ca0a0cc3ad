/** Rules of the house that neither the compiler nor the linter can hold (docs/architecture.md). */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';

const sources = [...new Bun.Glob('src/**/*.ts').scanSync('.')].map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}));

const filesWith = (pattern: RegExp): string[] =>
  sources
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort();

describe('one room for each', () => {
  test('only clock.ts tells the time', () => {
    expect(filesWith(/\bDate\.now\(|\bnew Date\(\)|performance\.now\(/)).toEqual(['src/clock.ts']);
  });

  test('only server.ts listens', () => {
    expect(filesWith(/\bBun\.serve\(|createServer\(/)).toEqual(['src/server.ts']);
  });

  test('only config.ts reads the environment', () => {
    expect(filesWith(/process\.env|Bun\.env|import\.meta\.env/)).toEqual(['src/config.ts']);
  });

  test('only respond.ts makes a response', () => {
    expect(filesWith(/new Response\(|Response\.json\(|\bc\.(json|text|html|body)\(/)).toEqual([
      'src/http/respond.ts',
    ]);
  });

  test('SQL is written in storage alone', () => {
    const files = filesWith(
      /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b [^;]*\b(FROM|VALUES|SET|pets)\b/,
    );
    expect(files.filter((path) => !path.startsWith('src/storage/'))).toEqual([]);
    expect(files).not.toEqual([]);
  });

  test('storage knows types alone of what operations share', () => {
    const values = filesWith(/^import (?!type\b)[^;]*from '[./]+http\//m);
    expect(values.filter((path) => path.startsWith('src/storage/'))).toEqual([]);
    expect(values).toContain('src/transfer/import-rows.ts');
  });

  test('no room is a lumber room', () => {
    expect(
      sources.filter(({ path }) => /\/(utils?|helpers?|common|types|misc)(\/|\.ts)/.test(path)),
    ).toEqual([]);
  });
});
