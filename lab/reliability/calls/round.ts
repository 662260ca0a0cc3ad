import { readFileSync, rmSync, truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  parseLog,
  type RunningService,
  type Workplace,
  withService,
} from '../../../test/support/process.ts';
import { contentOf, type Fate, inspect, nameOf, problemsOf } from './judge.ts';
import { type Change, send } from './scenario.ts';
import { type Call, type Injection, type Tracer, trace } from './strace.ts';
import { copyDatabase, removeDatabase, serve, type Template } from './template.ts';

/** What is done and judged in each of these trials of the running service. */
export const FAILING_CALLS_METHOD =
  'One run has each writing operation, a checkpoint in between and a stop at the end. It is repeated for each of its system calls on the files of the database, and strace makes this call fail. The files are judged as a kill at that moment leaves them, and after a restart: every acknowledged change must be there, with its event, and a refused one wholly or not at all. Every other request must succeed. If the service ends by SIGTERM, its log must have one line about a failure that matters, besides those of background jobs that meet it, too. `check` must find nothing. Reads fail only at the start, of two workers and of commands no call failed.';

/** How often a trouble sees the calls. */
const WATCH_MS = 3;

/** What goes wrong in a round. */
export interface Trouble {
  /** The traced file: '' is the database file. */
  readonly suffix: '' | '-wal';
  /** The traced calls, separated by commas. */
  readonly calls: string;
  readonly injection?: Injection;
  /** Whether this call is the one that goes wrong. The default is the one that strace changes. */
  readonly isHit?: (call: Call) => boolean;
  /** Makes the -wal so large that the service truncates it after the checkpoint. */
  readonly walBytes?: number;
  /** Nothing is missing after the failure, and the log does not have it. */
  readonly isHarmless?: boolean;
  /** A change of that moment may fail for the same reason, and has a line of its own. */
  readonly mayFailChanges?: boolean;
  /** Before the first request. */
  begin?(running: Running): Promise<void>;
  /** Again and again, until the service has ended. */
  watch?(running: Running, calls: readonly Call[]): Promise<void>;
  /** After the first refused change. */
  recover?(running: Running): Promise<void>;
  beforeStop?(running: Running, calls: readonly Call[]): void;
  problems?(calls: readonly Call[]): string[];
}

/** The service that a trouble befalls. */
export interface Running {
  readonly pid: number;
  /** The traced file. */
  readonly file: string;
  /** Judges the files as a kill would leave them now. */
  judge(moment: string): Promise<void>;
}

export interface Ended {
  readonly calls: readonly Call[];
  /** The changes that failed, `checkpoint or job` or `stop`; undefined if nothing went wrong. */
  readonly hit: string | undefined;
  /** How many of the calls were made before the service was told to stop. */
  readonly callsBeforeStop: number;
  readonly problems: readonly string[];
  /** How often a refused change was in the files after a kill. */
  readonly reappeared: number;
}

/** How the service ends: by SIGTERM, which moves the -wal into the database file, or by SIGKILL. */
export type Ending = 'SIGTERM' | 'SIGKILL';

/** All changes on a copy of the template, while something goes wrong once. */
export class Round {
  readonly #problems: string[] = [];
  readonly #fates: { readonly change: Change; fate: Fate }[];
  readonly #path: string;
  #hit: string | undefined;
  #reappeared = 0;
  #copies = 0;

  constructor(
    readonly place: Workplace,
    readonly template: Template,
    readonly trouble: Trouble,
  ) {
    this.#path = place.file('run.db');
    this.#fates = template.steps.flat().map((change) => ({ change, fate: 'not sent' }));
  }

  /** Sends all changes, ends the service, starts it again, and judges what is in the files. */
  async run(ending: Ending): Promise<Ended> {
    const { walBytes } = this.trouble;
    copyDatabase(this.template.path, this.#path);
    if (walBytes !== undefined) truncateSync(`${this.#path}-wal`, walBytes);
    const service = await serve(this.#path);
    const { calls, callsBeforeStop } = await withService(service, () =>
      this.#withTracer(service, (tracer) => this.#live(service, tracer, ending)),
    );
    this.#problems.push(...(this.trouble.problems?.(calls) ?? []));
    await this.#judging('after the restart', () => this.#judgeRestart());
    return {
      calls,
      callsBeforeStop,
      hit: this.#hit,
      problems: this.#problems,
      reappeared: this.#reappeared,
    };
  }

  async #withTracer<T>(service: RunningService, work: (tracer: Tracer) => Promise<T>): Promise<T> {
    const { trouble, place } = this;
    const output = place.file('calls');
    rmSync(output, { force: true });
    const running = this.#running(service);
    await trouble.begin?.(running);
    const tracer = await trace(service.pid, output, running.file, trouble);
    let isOver = false;
    const watching = (async () => {
      while (!isOver && trouble.watch) {
        await trouble.watch(running, tracer.calls());
        await sleep(WATCH_MS);
      }
    })();
    try {
      return await work(tracer);
    } finally {
      isOver = true;
      await watching;
      await tracer.stop();
    }
  }

  async #live(service: RunningService, tracer: Tracer, ending: Ending) {
    const { trouble, template } = this;
    const running = this.#running(service);
    const isHit = () => tracer.calls().some(trouble.isHit ?? (({ isInjected }) => isInjected));
    for (const step of template.steps) {
      const failed = await this.#send(service, step);
      if (failed.length > 0) {
        this.#hit ??= failed.map(({ name }) => name).join();
        await this.#judgeCopy('killed after the failure');
        await trouble.recover?.(running);
        for (const { name } of await this.#send(service, failed))
          this.#problems.push(`${name} fails after the fault, too`);
      }
      if (this.#hit === undefined && isHit()) {
        this.#hit = 'checkpoint or job';
        await this.#judgeCopy('killed after the failure');
      }
    }
    const before = tracer.calls();
    trouble.beforeStop?.(running, before);
    service.signal(ending);
    const { status, stdout, stderr } = await service.ended();
    const calls = tracer.calls();
    if (this.#hit === undefined && isHit()) this.#hit = 'stop';
    if (ending === 'SIGTERM' && status !== 0)
      this.#problems.push(`the stop had status ${status}: ${stderr}`);
    if (ending === 'SIGTERM' && this.#hit !== undefined && !trouble.isHarmless)
      this.#problems.push(...problemsOfLog(stdout, this.#hit, trouble));
    return { calls, callsBeforeStop: before.length };
  }

  #running({ pid }: RunningService): Running {
    const file = `${this.#path}${this.trouble.suffix}`;
    return { pid, file, judge: (moment) => this.#judgeCopy(moment) };
  }

  /** Sends changes together. Returns those that the service refused because of the fault. */
  async #send(service: RunningService, changes: readonly Change[]): Promise<Change[]> {
    const failed: Change[] = [];
    await Promise.all(
      changes.map(async (change) => {
        this.#setFate(change, 'sent');
        const { status, body } = await send(service.origin, this.template.key, change);
        if (status === 503 || status === 507) failed.push(change);
        else if (status >= 200 && status <= 299) this.#setFate(change, 'acknowledged');
        else this.#problems.push(`${change.name} got ${status}: ${JSON.stringify(body)}`);
      }),
    );
    return failed;
  }

  #setFate(change: Change, fate: Fate): void {
    for (const known of this.#fates) if (known.change === change) known.fate = fate;
  }

  /** Adds the problems that are found, or the error of files that cannot be opened. */
  async #judging(moment: string, judge: () => Promise<readonly string[]>): Promise<void> {
    const found = await judge().catch(({ message }: Error) => [message]);
    this.#problems.push(...found.map((problem) => `${moment}: ${problem}`));
  }

  #judgeCopy(moment: string): Promise<void> {
    return this.#judging(moment, () => this.#problemsOfCopy());
  }

  async #problemsOfCopy(): Promise<string[]> {
    // Two may be judged at the same time.
    const copy = this.place.file(`copy-${++this.#copies}.db`);
    do copyDatabase(this.#path, copy);
    while (!isEqual(this.#path, copy) || !isEqual(`${this.#path}-wal`, `${copy}-wal`));
    const { content, problems } = await inspect(copy);
    removeDatabase(copy);
    const names = new Set(content.events.map(nameOf));
    this.#reappeared += this.#fates.filter(
      ({ change, fate }) => fate === 'sent' && change.events.every((name) => names.has(name)),
    ).length;
    return [...problems, ...problemsOf(this.template.content, content, this.#fates)];
  }

  /** Starts the service again, and judges what it has and whether it works. */
  async #judgeRestart(): Promise<string[]> {
    const { content, key } = this.template;
    const problems: string[] = [];
    await withService(await serve(this.#path), async ({ origin }) => {
      problems.push(...problemsOf(content, contentOf(this.#path), this.#fates));
      const body = { name: 'later', categoryId: 1 };
      const { status } = await send(origin, key, { method: 'POST', path: '/pets', body });
      if (status !== 201) problems.push(`an addition got ${status}`);
    });
    problems.push(...(await inspect(this.#path)).problems);
    removeDatabase(this.#path);
    return problems;
  }
}

const isEqual = (one: string, other: string): boolean =>
  readFileSync(one).equals(readFileSync(other));

/** The events of the log that say that something failed. */
const FAILURES = ['request_failed', 'background_job_failed', 'checkpoint_failed'];

/** The log must say once what failed. Lines about a full disk come in addition, and about background jobs that fail for the same reason. */
function problemsOfLog(stdout: string, hit: string, { mayFailChanges }: Trouble): string[] {
  const all = parseLog(stdout).map((line) => String(line['event.name']));
  const withoutJobs = all.filter((name) => name !== 'background_job_failed');
  const names = withoutJobs.some((name) => FAILURES.includes(name)) ? withoutJobs : all;
  const failures = names.filter((name) => FAILURES.includes(name));
  const others = names.filter((name) => !/^(?:writes_|lines_left_out$)/.test(name));
  const most = mayFailChanges ? new Set(failures).size : 1;
  const isSaid = failures.length > 0 && failures.length <= most;
  if (isSaid && others.length === failures.length) return [];
  return [`the log has ${names.length === 0 ? 'nothing' : names} about a failure of ${hit}`];
}
