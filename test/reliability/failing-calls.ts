import { type Workplace, workplace } from '../support/process.ts';
import { type Ended, type Ending, Round, type Trouble } from './calls/round.ts';
import type { Call } from './calls/strace.ts';
import { makeTemplate, type Template } from './calls/template.ts';
import { DroppedPages, failing, ShortInCheckpoint, shortAppend } from './calls/troubles.ts';
import { START_TRIAL } from './failing-starts.ts';
import { controlOf, type Outcome, type Trial, type TrialOptions } from './trial.ts';

/** A trouble, and its name in the figures: `EIO of pwrite64 on the -wal`. */
interface Named {
  readonly name: string;
  readonly nth: number;
  readonly trouble: Trouble;
  readonly ending: Ending;
}

interface Plan {
  readonly troubles: readonly Named[];
  readonly control: { readonly fault: string; readonly trouble: Trouble };
}

/** The calls of a run without a fault. */
interface Counted extends Pick<Ended, 'callsBeforeStop'> {
  readonly calls: readonly Call[];
}

/** What a plan needs: counts the calls of a run without a fault. */
type Count = (trouble: Pick<Trouble, 'suffix' | 'calls' | 'walBytes'>) => Promise<Counted>;

const PLACES = [
  ['-wal', 'the -wal'],
  ['', 'the database file'],
] as const;

const ERRORS = [
  ['pwrite64', 'EIO'],
  ['pwrite64', 'ENOSPC'],
  ['fsync', 'EIO'],
  ['ftruncate', 'EIO'],
] as const;

/** More than the largest -wal that the service keeps. */
const LARGE_WAL_BYTES = 65 * 2 ** 20;

/** The ending for a call that fails before the stop, or in it. */
const endingOf = (nth: number, { callsBeforeStop }: Counted, { random }: TrialOptions): Ending =>
  nth > callsBeforeStop || random() < 0.5 ? 'SIGTERM' : 'SIGKILL';

/** The number of the nth call among those of one name that a condition selects, from the end. */
const lastNumber = (calls: readonly Call[], isWanted: (call: Call) => boolean): number =>
  calls.findLastIndex(isWanted) + 1;

const isPage = ({ bytes }: Call): boolean => bytes === 4_096;

async function errors(count: Count, options: TrialOptions): Promise<Plan> {
  const troubles: Named[] = [];
  for (const [suffix, file] of PLACES) {
    for (const [call, error] of ERRORS) {
      // Nothing is lost if the -wal keeps its size: SQLite ignores that.
      const isHarmless = call === 'ftruncate' && suffix === '-wal';
      const more = isHarmless ? { walBytes: LARGE_WAL_BYTES, isHarmless } : {};
      const counted = await count({ suffix, calls: call, ...more });
      for (let nth = 1; nth <= counted.calls.length; nth += 1) {
        const trouble = {
          ...failing(suffix, { call, effect: `error=${error}`, nth }),
          ...more,
        };
        const name = `${error} of ${call} on ${file}`;
        troubles.push({ name, nth, trouble, ending: endingOf(nth, counted, options) });
      }
    }
  }
  const { calls, callsBeforeStop } = await count({ suffix: '-wal', calls: 'pwrite64' });
  const nth = lastNumber(calls.slice(0, callsBeforeStop), isPage);
  const injection = { call: 'pwrite64', effect: 'retval=4096', nth };
  return {
    troubles,
    control: {
      fault: 'a write of the -wal reports success and writes nothing',
      trouble: failing('-wal', injection),
    },
  };
}

async function shortWrites(count: Count, options: TrialOptions): Promise<Plan> {
  const wal = await count({ suffix: '-wal', calls: 'pwrite64' });
  const file = await count({ suffix: '', calls: 'pwrite64' });
  // From the checkpoint on, the -wal is written from its start, where the limit would also be that of the database file.
  const appended = wal.calls.slice(
    0,
    wal.calls.findIndex(({ position }) => position === 0),
  );
  const inCheckpoint = file.calls.slice(1, file.callsBeforeStop);
  const nth = lastNumber(wal.calls.slice(0, wal.callsBeforeStop), isPage);
  const injection = { call: 'pwrite64', effect: 'retval=2048', nth };
  return {
    troubles: [
      ...appended.map((call, index) => ({
        name: 'of pwrite64 on the -wal',
        nth: index + 1,
        trouble: shortAppend(call),
        ending: endingOf(index, wal, options),
      })),
      ...inCheckpoint.map((call, index) => ({
        name: 'of pwrite64 on the database file',
        nth: index + 2,
        trouble: new ShortInCheckpoint(call),
        ending: endingOf(index, file, options),
      })),
    ],
    control: {
      fault: 'a write of the -wal reports half of its bytes, and writes none of these',
      trouble: failing('-wal', injection),
    },
  };
}

/** The number of runs for each sync. */
const DROPS = 3;

async function droppedPages(count: Count, options: TrialOptions): Promise<Plan> {
  const troubles: Named[] = [];
  for (const [suffix, file] of PLACES) {
    const counted = await count({ suffix, calls: 'fsync' });
    const numbers = counted.calls.map((_, index) => index + 1);
    for (const nth of Array.from({ length: DROPS }, () => numbers).flat()) {
      const trouble = new DroppedPages(suffix, nth);
      const ending = endingOf(nth, counted, options);
      troubles.push({ name: `EIO of fsync on ${file}`, nth, trouble, ending });
    }
  }
  return {
    troubles,
    control: {
      fault:
        'the sync of the database file in a checkpoint reports success, and its pages are dropped',
      trouble: new DroppedPages('', 1, 'retval=0'),
    },
  };
}

async function runPlan(
  place: Workplace,
  template: Template,
  { troubles, control }: Plan,
  { report }: TrialOptions,
): Promise<Outcome> {
  const failures: string[] = [];
  const figures: Record<string, number> = {};
  const add = (name: string, count: number) => {
    figures[name] = (figures[name] ?? 0) + count;
  };
  let [trials, reappeared] = [0, 0];
  for (const [index, { name, nth, trouble, ending }] of troubles.entries()) {
    const ended = await new Round(place, template, trouble).run(ending);
    const isHit = ended.hit !== undefined;
    if (isHit) trials += 1;
    add(name, isHit ? 1 : 0);
    if (!isHit) add('not reached', 1);
    reappeared += ended.reappeared;
    const where = `${name}, call ${nth} (${ended.hit}, then ${ending})`;
    failures.push(...ended.problems.map((problem) => `${where}: ${problem}`));
    if (index % 50 === 49)
      report(`${index + 1} of ${troubles.length}, ${failures.length} failures`);
  }
  const { problems } = await new Round(place, template, control.trouble).run('SIGKILL');
  return {
    trials,
    failures,
    control: controlOf(control.fault, problems, /./),
    figures: { ...figures, 'changes with 503 that a kill right after it made visible': reappeared },
  };
}

const trialOf = (
  plan: (count: Count, options: TrialOptions) => Promise<Plan>,
  described: Pick<Trial, 'promise' | 'method' | 'unit' | 'tools'>,
): Trial => ({
  ...described,
  isRandomSample: false,
  limitMinutes: 20,
  async run(options): Promise<Outcome> {
    const place = workplace();
    try {
      const template = await makeTemplate(place, options.random);
      const count: Count = async (trouble) => {
        const ended = await new Round(place, template, trouble).run('SIGTERM');
        if (ended.problems.length > 0) throw new Error(ended.problems.join('\n'));
        return ended;
      };
      return await runPlan(place, template, await plan(count, options), options);
    } finally {
      place.remove();
    }
  },
});

const JUDGEMENT =
  'Every acknowledged change must be in the file, with its event, after a kill at that moment and after a restart; a refused one wholly or not at all; every other request must succeed; the log must have one line about the failure; `check` must find nothing.';

/** System calls on the files of SQLite that fail. */
export const FAILING_CALLS: Readonly<Record<string, Trial>> = {
  'failing-calls-errors': trialOf(errors, {
    promise:
      'A write, sync or truncation that fails loses no acknowledged change, and applies none in part.',
    method: `A run of each writing operation, with a checkpoint in between and a stop at the end, is repeated for each of its calls, which strace makes fail. ${JUDGEMENT}`,
    unit: 'failed calls',
    tools: ['strace'],
  }),
  'failing-calls-short': trialOf(shortWrites, {
    promise: 'The same holds for a write that is cut short.',
    method: `The same run, with a limit of the file size in the middle of a write. ${JUDGEMENT}`,
    unit: 'short writes',
    tools: ['strace', 'prlimit'],
  }),
  'failing-calls-dropped': trialOf(droppedPages, {
    promise:
      'The same holds for a failed sync after which the kernel drops the pages and reports the next sync as good.',
    method: `The same run. When a sync fails, the service is stopped, what was written since the last sync is taken back in the file, and the service goes on. In a checkpoint, all pages must be written again before the next sync. ${JUDGEMENT}`,
    unit: 'failed syncs',
    tools: ['strace'],
  }),
  'failing-calls-start': START_TRIAL,
};
