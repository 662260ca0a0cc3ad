/** The rules of the architecture that neither the compiler nor the linter checks (docs/architecture.md). */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { GROUND, MAY_IMPORT } from './rooms.ts';
import { findCircle, importGraph } from './support/imports.ts';

/** The one room that may import a package. */
const PACKAGES: Readonly<Record<string, string>> = {
  'bun:ffi': 'storage/sqlite',
  'bun:sqlite': 'storage/sqlite',
  commander: 'cli',
  'ipaddr.js': 'http/request',
  'prom-client': 'observe',
  postgres: 'storage/postgres',
};

const sources = importGraph('src');
const ROOMS = [...Object.keys(MAY_IMPORT), ...GROUND];

/** The room of a file: of nested rooms the innermost. */
function roomOf(path: string): string | undefined {
  const inside = path.slice('src/'.length);
  return ROOMS.filter((room) => inside === room || inside.startsWith(`${room}/`))
    .sort((a, b) => a.length - b.length)
    .at(-1);
}

describe('the rooms', () => {
  test('contain every file', () => {
    expect([...sources.keys()].filter((path) => roomOf(path) === undefined)).toEqual([]);
  });

  test('import only what the table allows', () => {
    const refused = [...sources].flatMap(([path, imports]) =>
      imports
        .filter((imported) => {
          const [from = '', to = ''] = [roomOf(path), roomOf(imported)];
          const allowed = [from, ...GROUND, ...(MAY_IMPORT[from] ?? [])];
          return !allowed.includes(to);
        })
        .map((imported) => `${path} imports ${imported}`),
    );
    expect(refused).toEqual([]);
  });

  test('have arrows that run down only', () => {
    expect(findCircle(new Map(Object.entries(MAY_IMPORT)))).toBeUndefined();
  });

  test('have at most one that imports a package', () => {
    for (const [name, room] of Object.entries(PACKAGES)) {
      const files = filesWith(new RegExp(`from '${name.replace('.', '\\.')}'`));
      expect(files).not.toEqual([]);
      expect(files.filter((path) => !path.startsWith(`src/${room}/`))).toEqual([]);
    }
  });

  test.each(['src', 'test', 'lab', 'scripts', 'sdk/src', 'console', 'reference'])(
    'have no circle of imports in %s',
    (folder) => {
      expect(findCircle(importGraph(folder))).toBeUndefined();
    },
  );

  test('and all other folders stand without the lab', () => {
    const others = importGraph('src', 'test', 'scripts', 'sdk', 'console', 'reference', 'testing');
    expect([...others.values()].flat().filter((path) => path.startsWith('lab/'))).toEqual([]);
  });

  test('and the SDK stands alone, and the script of the reference uses the SDK only', () => {
    for (const folder of ['sdk/src/', 'reference/']) {
      const imported = [...importGraph(folder).values()].flat();
      expect(imported.filter((path) => path.startsWith('sdk/src/'))).not.toEqual([]);
      const others = imported.filter((path) => !path.startsWith('sdk/src/'));
      expect(others.filter((path) => !path.startsWith(folder))).toEqual([]);
    }
  });
});

const texts = [...sources.keys()].map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const filesWith = (pattern: RegExp): string[] =>
  texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe('one place for each', () => {
  test('only clock.ts reads the time', () => {
    expect(filesWith(/\bDate\.now\(|\bnew Date\(\)|performance\.now\(/)).toEqual(['src/clock.ts']);
  });

  test('only server.ts listens for the API, only metrics-server.ts for metrics, and shared-port.ts looks for a free port', () => {
    expect(filesWith(/\bBun\.serve\(|createServer\(/)).toEqual([
      'src/server/metrics-server.ts',
      'src/server/server.ts',
      'src/server/shared-port.ts',
    ]);
  });

  test('only io.ts reads the environment', () => {
    expect(filesWith(/(?<!')process\.env|Bun\.env|import\.meta\.env/)).toEqual(['src/cli/io.ts']);
  });

  test('only respond.ts creates responses', () => {
    expect(filesWith(/new Response\(|Response\.json\(/)).toEqual(['src/http/response/respond.ts']);
  });

  test('only storage contains SQL', () => {
    const files = filesWith(
      /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b [^;]*\b(FROM|VALUES|SET|pets)\b/,
    );
    expect(files.filter((path) => !path.startsWith('src/storage/'))).toEqual([]);
    expect(files).not.toEqual([]);
  });

  test('no room is named after nothing', () => {
    const vague = /\/(utils?|helpers?|common|types|misc)(\/|\.ts)/;
    expect([...sources.keys()].filter((path) => vague.test(path))).toEqual([]);
  });
});

/** The most lines that a room may have, comments and SQL included: those it has, rounded up to the next 50. A commit that raises one says why. */
const MOST_LINES: readonly (readonly [number, ...rooms: string[]])[] = [
  [2_550, 'src/cli', 'src/main.ts'],
  [2_600, 'src/server', 'src/config'],
  [
    3_150,
    'src/pets',
    'src/categories',
    'src/orders',
    'src/api-keys',
    'src/usage',
    'src/idempotency',
  ],
  [2_400, 'src/events', 'src/transfer'],
  [4_250, 'src/http'],
  [1_900, 'src/observe'],
  [950, 'src/console', 'src/reference', 'src/build-page.ts'],
  [11_900, 'src/storage'],
  [31_900, 'src'],
  [11_500, 'console'],
  [700, 'reference'],
  [3_100, 'sdk/src'],
  [3_350, 'test/support'],
  [50_750, 'test'],
];

/** The most words that a page may have: those it has, rounded up to the next 50. A commit that raises one says why. */
const MOST_WORDS: Readonly<Record<string, number>> = {
  'CHANGELOG.md': 350,
  'CONTRIBUTING.md': 1_050,
  'README.md': 400,
  'docs/SECURITY.md': 700,
  'docs/access.md': 1_750,
  'docs/architecture.md': 1_300,
  'docs/console.md': 850,
  'docs/data.md': 1_950,
  'docs/decisions.md': 1_850,
  'docs/errors.md': 1_000,
  'docs/failures.md': 2_350,
  'docs/install.md': 1_300,
  'docs/integrate.md': 3_100,
  'docs/monitor.md': 650,
  'docs/performance.md': 1_100,
  'docs/postgresql-backup.md': 1_600,
  'docs/postgresql.md': 1_150,
  'docs/recipes.md': 1_050,
  'docs/reliability.md': 1_800,
  'docs/retries.md': 1_200,
  'docs/scaling.md': 1_600,
  'docs/settings.md': 1_250,
  'docs/telemetry.md': 1_700,
  'docs/upgrade.md': 1_300,
  'sdk/README.md': 2_000,
};

const wordsOf = (page: string): number => readFileSync(page, 'utf8').trim().split(/\s+/).length;

describe('the weight', () => {
  test.each(MOST_LINES)('is at most %d lines in %s', async (most, ...rooms) => {
    const files = (await Bun.$`git ls-files ${rooms}`.text()).trim().split('\n');
    const code = files.filter((path) => /\.(?:ts|tsx|sql|css|html|txt)$/.test(path));
    const lines = code.map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
    const sum = lines.reduce((total, count) => total + count, 0);
    expect(sum).toBeLessThanOrEqual(most);
  });

  test.each(Object.entries(MOST_WORDS))('of %s is at most %d words', (page, most) => {
    expect(wordsOf(page)).toBeLessThanOrEqual(most);
  });

  test('in words is known of every page, and at most 33,850 in total', async () => {
    const pages = (await Bun.$`git ls-files *.md docs/*.md sdk/*.md`.text()).trim().split('\n');
    expect(pages).toEqual(Object.keys(MOST_WORDS));
    expect(pages.reduce((sum, page) => sum + wordsOf(page), 0)).toBeLessThanOrEqual(33_850);
  });

  test('of the root is at most 24 entries', async () => {
    const entries = await Bun.$`git ls-tree --name-only HEAD`.text();
    expect(entries.trim().split('\n').length).toBeLessThanOrEqual(24);
  });
});
