import { DIRECT } from './direct.ts';
import { spawnGuarded } from './guard.ts';
import { ROOT } from './process.ts';

/** The results of one or more runs of `bun test`. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Each failed test with its error, and the line of each skipped one. */
  readonly namedTests: readonly string[];
  /** How long the tests of each file took, in milliseconds. */
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
  const run = spawnGuarded([process.execPath, 'test', ...args], {
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
  // The last one: a test may show the output of a run of its own.
  const count = (result: string) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${result}$`, 'gm'))].at(-1)?.[1] ?? 0);
  return {
    passed: count('pass'),
    failed: count('fail'),
    skipped: count('skip'),
    namedTests: namedIn(output),
    durations: durationsIn(output),
    succeeded: (await run.exited) === 0,
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

/** Sums the durations of the tests below the name of each file. A file that runs beside others is named several times. */
export function durationsIn(output: string): Map<string, number> {
  const durations = new Map<string, number>();
  let file = '';
  for (const line of output.split('\n')) {
    file = /^(\S+\.(?:test|drill)\.ts):$/.exec(line)?.[1] ?? file;
    const [, ms] = /^\((?:pass|fail)\) .* \[([\d.]+)ms\]$/.exec(line) ?? [];
    if (ms !== undefined) durations.set(file, (durations.get(file) ?? 0) + Number(ms));
  }
  return durations;
}

/** Names the ten files whose tests took longest. */
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
