import { workplace } from '../../test/support/process.ts';
import { type Named, type Plan, runPlan } from './calls/plan.ts';
import { type Ended, type Ending, Round, type Trouble } from './calls/round.ts';
import type { Call } from './calls/strace.ts';
import { makeTemplate, type Template } from './calls/template.ts';
import { DroppedPages, failing, ShortInCheckpoint, shortAppend } from './calls/troubles.ts';
import { START_TRIAL } from './failing-starts.ts';
import type { Outcome, Trial, TrialOptions } from './trial.ts';

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
        ending: endingOf(index + 1, wal, options),
      })),
      ...inCheckpoint.map((call, index) => ({
        name: 'of pwrite64 on the database file',
        nth: index + 2,
        trouble: new ShortInCheckpoint(call),
        ending: endingOf(index + 2, file, options),
      })),
    ],
    control: {
      fault: 'a write of the -wal reports half of its bytes, and writes none of these',
      trouble: failing('-wal', injection),
    },
  };
}

/** How many syncs of a checkpoint fail, each at another place in another order of the requests. */
const CHECKPOINTS = 30;

async function droppedPages(
  count: Count,
  options: TrialOptions,
  template: () => Promise<Template>,
): Promise<Plan> {
  const counted = await count({ suffix: '-wal', calls: 'fsync' });
  const troubles = counted.calls.map((_, index): Named => {
    const nth = index + 1;
    const ending = endingOf(nth, counted, options);
    const trouble = new DroppedPages('-wal', nth);
    return { name: 'EIO of fsync on the -wal', nth, trouble, ending };
  });
  for (let count = 1; count <= CHECKPOINTS; count += 1)
    troubles.push({
      ...{ name: 'EIO of fsync on the database file in a checkpoint', nth: 1 },
      ...{ template: await template(), trouble: new DroppedPages('', 1), ending: 'SIGTERM' },
    });
  return {
    troubles,
    control: {
      fault:
        'the sync of the database file in a checkpoint reports success, and its pages are dropped',
      trouble: new DroppedPages('', 1, 'retval=0'),
    },
  };
}

interface Described extends Pick<Trial, 'promise' | 'method' | 'unit' | 'tools'> {
  /** The problem that names the planted fault. */
  readonly names: RegExp;
}

const trialOf = (
  plan: (count: Count, options: TrialOptions, template: () => Promise<Template>) => Promise<Plan>,
  { names, ...described }: Described,
): Trial => ({
  ...described,
  isRandomSample: false,
  limitMinutes: 45,
  async run(options): Promise<Outcome> {
    using place = workplace();
    const template = await makeTemplate(place, options.random);
    const count: Count = async (trouble) => {
      const ended = await new Round(place, template, trouble).run('SIGTERM');
      if (ended.problems.length > 0) throw new Error(ended.problems.join('\n'));
      return ended;
    };
    const another = () => makeTemplate(place, options.random);
    const planned = await plan(count, options, another);
    return await runPlan(place, template, { ...planned, names }, options);
  },
});

const DAMAGED = /^(?:killed after the failure|after the restart): /;

/** System calls on the files of SQLite that fail. */
export const FAILING_CALLS: Readonly<Record<string, Trial>> = {
  'failing-calls-errors': trialOf(errors, {
    promise:
      'A write, sync or truncation that fails loses no acknowledged change, and applies none in part.',
    method: 'Calls that write, sync or truncate report EIO, and writes also ENOSPC.',
    names: DAMAGED,
    unit: 'failed calls',
    tools: ['strace'],
  }),
  'failing-calls-short': trialOf(shortWrites, {
    promise: 'A write that is cut short loses no acknowledged change, and applies none in part.',
    method:
      'The size of files is limited to the middle of a write: of each to the -wal before the checkpoint, and of each to the database file in it.',
    names: DAMAGED,
    unit: 'short writes',
    tools: ['strace', 'prlimit'],
  }),
  'failing-calls-dropped': trialOf(droppedPages, {
    promise:
      'A failed sync loses no acknowledged change, although the kernel drops the data and reports the next sync as good.',
    method:
      'When a sync fails, the service is stopped, what was written since the last sync is taken back in the file, and the service goes on. If this happens in a checkpoint, all its pages must be written again before the next sync of the database file, which must come. Each checkpoint has another database, with another order of the requests.',
    names: /pages were not written again|^(?:killed after the failure|after the restart): /,
    unit: 'failed syncs',
    tools: ['strace'],
  }),
  'failing-calls-start': START_TRIAL,
};
