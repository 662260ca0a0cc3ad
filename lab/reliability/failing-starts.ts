import { type Workplace, workplace } from '../../test/support/process.ts';
import { startWhile } from './calls/start.ts';
import type { Call } from './calls/strace.ts';
import { makeTemplate, type Template } from './calls/template.ts';
import { controlOf, type Outcome, type Trial, type TrialOptions } from './trial.ts';

const FILES = ['', '-wal', '-shm'];

const ERRORS = [
  ['openat', 'EMFILE'],
  ['pread64', 'EIO'],
  ['pwrite64', 'EIO'],
  ['pwrite64', 'ENOSPC'],
  ['ftruncate', 'EIO'],
  ['fsync', 'EIO'],
] as const;

/** A start reads each frame of the -wal, in the same way. So many calls of a kind are tried; of more, a random choice. */
const MOST_CALLS = 150;

function someOf(calls: readonly Call[], random: TrialOptions['random']): number[] {
  const numbers = calls.map((_, index) => ({ nth: index + 1, at: random() }));
  return numbers
    .sort((one, other) => one.at - other.at)
    .slice(0, MOST_CALLS)
    .map(({ nth }) => nth);
}

/** SQLite takes what is in its memory for the header of the -wal. The checks of the start may read it before, and find nothing. */
async function problemsOfUnreadHeader(
  place: Workplace,
  template: Template,
): Promise<readonly string[]> {
  const trouble = { calls: 'pread64', files: ['-wal'] };
  const { calls } = await startWhile(place, template, trouble);
  for (const [index, { bytes, position }] of calls.entries()) {
    if (bytes !== 32 || position !== 0) continue;
    const injection = { call: 'pread64', effect: 'retval=32', nth: index + 1 };
    const { problems } = await startWhile(place, template, { ...trouble, injection });
    if (problems.length > 0) return problems;
  }
  return [];
}

/** A call that fails while the service starts. */
export const START_TRIAL: Trial = {
  promise:
    'A start whose files cannot be opened, read or written says so in a sentence, and loses nothing.',
  method:
    'The service starts on a file with a full `-wal`, as a kill leaves it, while one of its calls on the files of the database fails. It must start with all that is in them, or end with status 1 and one sentence. The next start must find everything.',
  unit: 'failed calls',
  isRandomSample: false,
  tools: ['strace'],
  limitMinutes: 20,
  async run({ random, report }): Promise<Outcome> {
    using place = workplace();
    const template = await makeTemplate(place, random);
    const failures: string[] = [];
    const figures: Record<string, number> = {};
    let [trials, refused] = [0, 0];
    for (const [call, error] of ERRORS) {
      const { calls } = await startWhile(place, template, { calls: call, files: FILES });
      const name = `${error} of ${call}`;
      figures[name] = 0;
      for (const nth of someOf(calls, random)) {
        const injection = { call, effect: `error=${error}`, nth };
        const started = await startWhile(place, template, {
          calls: call,
          files: FILES,
          injection,
        });
        const where = `${name}, call ${nth} of ${calls.length} (${started.isRefused ? 'refused' : 'started'})`;
        failures.push(...started.problems.map((problem) => `${where}: ${problem}`));
        if (started.isRefused) refused += 1;
        if (started.isHit) {
          trials += 1;
          figures[name] = (figures[name] ?? 0) + 1;
        }
      }
      report(`${name}: ${figures[name]} of ${calls.length}, ${failures.length} failures`);
    }
    return {
      trials,
      failures,
      control: controlOf(
        'a read of the header of the -wal reports success and reads nothing',
        await problemsOfUnreadHeader(place, template),
        /./,
      ),
      figures: { ...figures, 'refused starts': refused },
    };
  },
};
