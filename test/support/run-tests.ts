import { DIRECT } from './direct.ts';
import { spawnGuarded } from './guard.ts';
import { ROOT } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The results of one or more runs of `bun test`. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Each failed test with its error, and the line of each skipped one. */
  readonly namedTests: readonly string[];
  /** How long each file took, in milliseconds, with its imports and its hooks. */
  readonly durations: ReadonlyMap<string, number>;
  /** Whether each run ended with status 0. A run can also fail without a failed test. */
  readonly succeeded: boolean;
}

/** The runtime writes colours to a terminal, and standard error is a pipe here. */
const COLOURS = process.stderr.isTTY && !process.env['NO_COLOR'] ? { FORCE_COLOR: '1' } : {};

/** Runs `bun test` with these arguments, shows its output, and counts its results. */
export async function runTests(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Results> {
  using folder = temporaryFolder();
  const times = Bun.file(folder.file('times.xml'));
  const junit = ['--reporter=junit', `--reporter-outfile=${times.name}`];
  const run = spawnGuarded([process.execPath, 'test', ...junit, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...COLOURS, ...DIRECT, ...environment },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const decoder = new TextDecoder();
  let output = '';
  for await (const chunk of run.stderr) {
    process.stderr.write(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  output = Bun.stripANSI(output);
  const succeeded = (await run.exited) === 0;
  // The last one: a test may show the output of a run of its own.
  const count = (result: string) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${result}$`, 'gm'))].at(-1)?.[1] ?? 0);
  return {
    passed: count('pass'),
    failed: count('fail'),
    skipped: count('skip'),
    namedTests: namedIn(output),
    durations: durationsIn(await times.text().catch(() => '')),
    succeeded,
  };
}

/** The runtime repeats the line of a failed test at its end, without the error. */
export function namedIn(output: string): string[] {
  const named = new Map<string, string>();
  let error: string[] = [];
  for (const line of output.split('\n')) {
    if (/^\((?:fail|skip)\) /.test(line) && !named.has(line))
      named.set(line, [...error, line].join('\n'));
    error = /^\((?:pass|fail|skip)\) |^\S+\.(?:test|drill)\.ts:$/.test(line)
      ? []
      : [...error, line];
  }
  return [...named.values()];
}

/** The time of each file in a report of JUnit. The times of its tests, some of which run together, have another sum. */
const durationsIn = (report: string): Map<string, number> =>
  new Map(
    [...report.matchAll(/^ {2}<testsuite name="([^"]+)" .* time="([\d.]+)"/gm)].map(
      ([, file = '', seconds]) => [file, Number(seconds) * 1_000],
    ),
  );

/** Names the ten files that took longest. */
export function showSlowest({ durations }: Results): void {
  for (const [file, ms] of [...durations].sort(([, a], [, b]) => b - a).slice(0, 10))
    console.log(`${(ms / 1_000).toFixed(1)} s: ${file}`);
}

/** Adds up the results of several runs. */
export const addUp = (runs: readonly Results[]): Results => ({
  passed: runs.reduce((sum, { passed }) => sum + passed, 0),
  failed: runs.reduce((sum, { failed }) => sum + failed, 0),
  skipped: runs.reduce((sum, { skipped }) => sum + skipped, 0),
  namedTests: runs.flatMap(({ namedTests }) => namedTests),
  durations: new Map(runs.flatMap(({ durations }) => [...durations])),
  succeeded: runs.every(({ succeeded }) => succeeded),
});

/** Names each failed and each skipped test, prints the counts, zeros included, and sets the exit status. */
export function report({ passed, failed, skipped, namedTests, succeeded }: Results): void {
  for (const line of namedTests) console.log(line);
  const crash = failed === 0 && !succeeded ? ', but a run ended with an error' : '';
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped${crash}`);
  process.exitCode = succeeded ? 0 : 1;
}
