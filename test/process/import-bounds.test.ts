/** Rows and files that are too long are rejected fast, and without filling the memory. */
import { expect, test } from 'bun:test';
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { spawnGuarded } from '../support/guard.ts';
import { commandOf, ONE_SENTENCE, ROOT, type Workplace, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { expectRefused } from './maintained.ts';
import { importText, lines, skippedLines, stored } from './transfer.ts';

const place = useEach(workplace);

const MIB = 1024 * 1024;
const HUGE = 100 * MIB;

/** The memory that an import of a huge file may use: less than twice that of a small file. */
const MEMORY_LIMIT = 300 * MIB;

const MIA = '{"name":"Mia","categoryId":1}';
const REX = '{"name":"Rex","categoryId":1}';

/** Writes a file with repeated `filling` between its beginning and its end. */
function writeHuge(path: string, beginning: string, filling: string, end: string): void {
  const chunk = Buffer.from(filling.repeat(MIB / filling.length));
  const file = openSync(path, 'w');
  writeSync(file, beginning);
  for (let written = 0; written < HUGE; written += chunk.length) writeSync(file, chunk);
  writeSync(file, end);
  closeSync(file);
}

/** The most memory that a process has used so far, in bytes. On Linux, its `maxRSS` counts that of the process that starts it, too. */
function peakMemoryOf(pid: number): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Imports a file, and measures the memory that the import used. */
async function importHuge({ database }: Workplace, file: string, ...flags: readonly string[]) {
  const child = spawnGuarded(commandOf('import', file, '--database', database, ...flags), {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
  let memory = 0;
  const watch = setInterval(() => {
    memory = Math.max(memory, peakMemoryOf(child.pid));
  }, 5);
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  clearInterval(watch);
  memory ||= child.resourceUsage()?.maxRSS ?? 0;
  return { status: child.exitCode, stdout, stderr, memory };
}

function expectLittle(memory: number): void {
  expect(memory).toBeGreaterThan(0);
  expect(memory).toBeLessThan(MEMORY_LIMIT);
}

test.each([
  ['CSV cells', 'a.csv', 'name,categoryId\nRex,1\n', ',', ',1\nMia,1\n', 'line 3: '],
  ['an unclosed cell', 'a.csv', 'name,categoryId\nRex,1\n"Mia,1\n', 'Tom,1\n', '', 'not closed'],
  ['an element of JSON', 'a.json', `[${REX},{"name":"`, 'x', '"}]', 'NDJSON'],
])(
  '%s of 100 MB is rejected with one sentence and little memory, and nothing is imported',
  async (_what, name, beginning, filling, end, message) => {
    const file = place.file(name);
    writeHuge(file, beginning, filling, end);
    const { status, stdout, stderr, memory } = await importHuge(place, file);
    // On a slow machine, an import of this size says how far it is.
    expect(stderr.replace(/^(?:\d+ %, .*\n)+/, '')).toMatch(ONE_SENTENCE);
    expect(stderr).toContain(message);
    expect(stderr).toEndWith('Nothing was imported.\n');
    expect([status, stdout]).toEqual([1, '']);
    expect(await stored(place.database)).toBe('');
    expectLittle(memory);
  },
);

test('--on-error skip omits an NDJSON line of 100 MB, and imports the rows around it', async () => {
  const file = place.file('a.ndjson');
  writeHuge(file, `${REX}\n{"name":"`, 'x', `"}\n\n${MIA}\nbad`);
  const run = await importHuge(place, file, '--on-error', 'skip', '--json');
  expect(skippedLines(run)).toEqual([2, 5]);
  expect(run.stderr).toContain('skipped line 2: is longer than 1 MiB\n');
  expect(JSON.parse(run.stdout)).toEqual({ imported: 2, skipped: 2 });
  expectLittle(run.memory);
});

/** A text of this many bytes. */
function padded(beginning: string, bytes: number, filling: string, end: string): string {
  const room = bytes - beginning.length - end.length;
  const width = Buffer.byteLength(filling);
  return `${beginning}${' '.repeat(room % width)}${filling.repeat(Math.floor(room / width))}${end}`;
}

test.each([
  ['ndjson', 'x', 1],
  ['ndjson', '猫', 1],
  ['json', 'x', 2],
  ['json', '猫', 2],
] as const)(
  'a %s row of %s may have 1 MiB, but not one byte more',
  async (format, filling, line) => {
    const file = (bytes: number) => {
      const row = padded('{"name":"Rex","categoryId":1,"x":"', bytes, filling, '"}');
      return format === 'json' ? `[\n${row} ]` : row;
    };
    const just = await importText(place, `a.${format}`, file(MIB));
    expect(just).toEqual({ status: 0, stdout: '', stderr: 'Imported 1 animal.\n' });
    const more = await importText(place, `b.${format}`, file(MIB + 1));
    const message = `animal-store: line ${line}: is longer than 1 MiB. Nothing was imported.\n`;
    expect([more.status, more.stderr]).toEqual([1, message]);
  },
);

test('a CSV row may have 1 MiB, and a longer row fails the import, even with --on-error skip', async () => {
  const file = (bytes: number) =>
    lines('name,categoryId,note', 'Mia,1,', '', padded('Rex,1,"', bytes, 'x\r\n', '"'), ',x,');
  const flags = ['--on-error', 'skip'];
  const just = await importText(place, 'a.csv', file(MIB), ...flags);
  expect(just.stderr).toContain('Imported 2 animals, skipped 1 row.');
  const more = await importText(place, 'b.csv', file(MIB + 1), ...flags);
  expectRefused(more, 'line 4: the row is longer than 1 MiB');
});
