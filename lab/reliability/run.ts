/**
 * Tries the promises of reliability: `npm run reliability`. Writes the report and the page after each trial.
 *
 * `--page` runs nothing, and writes the page from the report.
 * `--only kill,events` runs the trial `kill` and those whose names begin with `events-`. `--resume` runs no trial that has an outcome of this code in the report.
 * `--seed 7` repeats the choices of a run, but not the moments at which they meet the service.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DIRECT } from '../../test/support/direct.ts';
import { spawnGuarded } from '../../test/support/guard.ts';
import { ROOT } from '../../test/support/process.ts';
import { imageOf, type Report, renderPage, reportOf, reportResult, resultsOf } from './page.ts';
import { type Result, succeeded } from './results.ts';
import { runCommand } from './run-command.ts';
import { renderTimeline } from './timeline.ts';
import type { Outcome, Trial } from './trial.ts';
import { GROUPS, TRIALS, UNTRIED } from './trials.ts';

/** For trials, too: Debian has some programs where only root's path leads. */
const SEARCHED = `${process.env['PATH']}:/usr/sbin:/sbin`;

/** How many trials run at a time: first two, then one, then three. More would be too much for two processors. */
const LANES = [2, 1, 3] as const;

const PAGE = join('docs', 'reliability.md');
const REPORT = join('docs', 'reliability.json');

function refuse(message: string): never {
  console.error(`reliability: ${message}`);
  process.exit(2);
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        page: { type: 'boolean', default: false },
        resume: { type: 'boolean', default: false },
        seed: { type: 'string' },
      },
    }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const values = readFlags();

const readReport = (): Report => JSON.parse(readFileSync(join(ROOT, REPORT), 'utf8'));

const writePage = (): void => writeFileSync(join(ROOT, PAGE), renderPage(readReport()));

if (values.page) {
  writePage();
  process.exit();
}

/** The service and its trials. A result stays true while only the rest changes, such as pages, the console and the SDK. */
const CODE = ['bin', 'lab/reliability', 'package.json', 'package-lock.json', 'src', 'test/support'];
const codeCommit = (): string =>
  runCommand('git', 'log', '-1', '--format=%H', '--', ...CODE).slice(0, 12);
const commit = codeCommit();
/** Asked again after each trial: a change in between belongs to no commit. */
const hasChanges = (): boolean =>
  codeCommit() !== commit || runCommand('git', 'status', '--porcelain', '--', ...CODE) !== '';
const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]);
if (!Number.isSafeInteger(seed)) refuse(`--seed: ${values.seed} is not a whole number.`);

/** Why a trial cannot run here. */
function obstacle({ tools, asRoot = false }: Trial): string | undefined {
  const isThere = (tool: string) =>
    tool.startsWith('/') ? existsSync(tool) : Bun.which(tool, { PATH: SEARCHED }) !== null;
  const missing = tools.filter((tool) => !isThere(tool));
  if (missing.length > 0) return `it needs ${missing.join(', ')}`;
  return asRoot && process.getuid?.() !== 0 ? 'it needs root' : undefined;
}

/** Runs a trial in a process of its own, which is killed at its limit with all that it started. */
async function run(name: string, trial: Trial): Promise<Outcome | string> {
  const { limitMinutes, asRoot = false, ownNetwork = false, oneProcessor = false } = trial;
  const command = [
    // What it mounts ends with it.
    ...(asRoot ? ['unshare', '--mount', ...(ownNetwork ? ['--net'] : [])] : []),
    ...(oneProcessor ? ['taskset', '--cpu-list', `${cpus().length - 1}`] : []),
    ...[process.execPath, join(import.meta.dirname, 'run-trial.ts'), name, `${seed}`],
  ];
  const child = spawnGuarded(command, {
    cwd: ROOT,
    env: { ...process.env, ...DIRECT, PATH: SEARCHED },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, limitMinutes * 60_000);
  const output = await new Response(child.stdout).text();
  clearTimeout(limit);
  if (isLate) return `it was stopped after ${limitMinutes} minutes`;
  return (await child.exited) === 0 ? (JSON.parse(output) as Outcome) : 'it failed to run';
}

function describe({ outcome, seconds }: Result): string {
  if (typeof outcome === 'string') return `not run: ${outcome}`;
  const control = outcome.control.finding !== undefined ? 'control found' : 'CONTROL NOT FOUND';
  return `${outcome.trials} trials, ${outcome.failures.length} failures, ${control} (${seconds} s)`;
}

const all = Object.keys(TRIALS);
const named = (only: string): string[] =>
  only in TRIALS ? [only] : all.filter((name) => name.startsWith(`${only}-`));
const only = values.only?.split(',') ?? all;
const unknown = only.filter((name) => named(name).length === 0);
if (unknown.length > 0) refuse(`--only: ${unknown} is not one of ${all.join(', ')}.`);
/** Whether `--resume` leaves out a trial. */
const isKnown = (name: string): boolean => {
  const known = values.resume ? resultsOf(readReport())[name] : undefined;
  return known?.commit === commit && typeof known.outcome !== 'string';
};
const names = only.flatMap(named).filter((name) => !isKnown(name));
console.log(`seed ${seed}, commit ${commit}${hasChanges() ? ' with changes' : ''}`);

/** Puts a result into the report, and writes the page. */
function record(name: string, result: Result): void {
  const { outcome } = result;
  if (typeof outcome !== 'string' && outcome.timeline)
    writeFileSync(join(ROOT, 'docs', imageOf(name)), renderTimeline(outcome.timeline));
  const results = { ...resultsOf(readReport()), [name]: reportResult(result) };
  const date = new Date().toISOString().slice(0, 10);
  const report = reportOf(GROUPS, results, { commit, date, untried: UNTRIED });
  writeFileSync(join(ROOT, REPORT), `${JSON.stringify(report, null, 2)}\n`);
  writePage();
}

/** Runs one trial, and records and shows its result. */
async function tryOut(name: string): Promise<void> {
  const trial = TRIALS[name] as Trial;
  const startMs = performance.now();
  const outcome = obstacle(trial) ?? (await run(name, trial));
  const seconds = Math.round((performance.now() - startMs) / 1000);
  const result = { commit, seed, seconds, outcome };
  if (hasChanges()) console.log(`${name} is not recorded: there are changes after the commit.`);
  else record(name, result);
  if (!succeeded(result)) process.exitCode = 1;
  console.log(`${name}: ${describe(result)}`);
  if (typeof outcome !== 'string')
    for (const failure of outcome.failures) console.error(`  ${failure}`);
}

/** Runs trials in turn in several lanes. */
async function inLanes(lanes: number, waiting: string[]): Promise<void> {
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await tryOut(name);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

// The longest first, so that none is left alone at the end.
const limitOf = (name: string): number => TRIALS[name]?.limitMinutes ?? 0;
names.sort((a, b) => limitOf(b) - limitOf(a));
for (const lanes of LANES)
  await inLanes(
    lanes,
    names.filter((name) => (TRIALS[name]?.lanes ?? 3) === lanes),
  );
