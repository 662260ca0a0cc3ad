import {
  runAnimalStore,
  startService,
  type Workplace,
  withService,
  workplace,
} from '../../test/support/process.ts';
import {
  answerOf,
  COMMAND_LINES,
  isExpectedAnswer,
  prepareFiles,
  type RunCommand,
} from './corpus/command-lines.ts';
import { REQUESTS, sendCorpus } from './corpus/requests.ts';
import { startFaultyProxy } from './fuzz/faulty-proxy.ts';
import { prepare } from './fuzz/known.ts';
import { controlOf, type Outcome, type Trial } from './trial.ts';

/** In the control, one of this many responses is spoiled. */
const SPOILED = 100;

const startCommand: RunCommand = ({ words, variables }, cwd) =>
  runAnimalStore(words, { cwd, variables });

async function runCommands(
  { path }: Workplace,
  run: RunCommand,
  report: (text: string) => void,
): Promise<string[]> {
  await prepareFiles(path);
  const problems: string[] = [];
  for (const [index, one] of COMMAND_LINES.entries()) {
    const answer = await answerOf(one, path, run);
    if (!isExpectedAnswer(answer, one.expected))
      problems.push(`${one.at}: ${one.input.slice(0, 200)}: ${answer.slice(0, 500)}`);
    if (index % 100 === 99) report(`${index + 1} command lines, ${problems.length} failures`);
  }
  return problems;
}

/** Sends the requests to a service with some workers on a new database. A proxy may spoil responses. */
async function sendRequests(
  { file }: Workplace,
  workers: number,
  isSpoiled: boolean,
): Promise<string[]> {
  const database = file(`${workers}-${isSpoiled}.db`);
  const service = await startService(database, ['--workers', `${workers}`, '--log-level', 'error']);
  return withService(service, async ({ origin, firstKey = '', stdout }) => {
    const known = await prepare(origin, firstKey);
    const port = Number(new URL(origin).port);
    const proxy = isSpoiled ? await startFaultyProxy(port, SPOILED) : undefined;
    const problems = await sendCorpus(proxy?.port ?? port, known);
    proxy?.close();
    return stdout() === '' ? problems : [...problems, `the log has an error: ${stdout()}`];
  });
}

async function inPlace<T>(work: (place: Workplace) => Promise<T>): Promise<T> {
  using place = workplace();
  return await work(place);
}

/** The corpus of bad input. */
export const BAD_INPUT: Trial = {
  promise: 'Bad input gets an answer that says what is wrong and what is allowed.',
  method:
    'Requests on raw sockets, to one process and to two workers; command lines, settings and files with a process for each. Some are just good, at the bounds. Each answer (status, error code and message; exit status and standard error) must be the expected one. A failed command must leave no file, but for an `import` into a new file, which leaves an empty catalogue.',
  unit: 'cases',
  isRandomSample: false,
  tools: [],
  limitMinutes: 20,
  async run({ report }): Promise<Outcome> {
    return inPlace(async (place) => {
      const failures = await inPlace((folder) => runCommands(folder, startCommand, report));
      for (const workers of [1, 2]) failures.push(...(await sendRequests(place, workers, false)));
      const spoiled = await sendRequests(place, 1, true);
      return {
        trials: COMMAND_LINES.length + 2 * REQUESTS.length,
        failures,
        control: controlOf(
          `one of ${SPOILED} responses is replaced by 500 or by the end of the connection`,
          spoiled,
          /500/,
        ),
        figures: {
          'command lines and files': COMMAND_LINES.length,
          'requests, each sent to one process and to two workers': REQUESTS.length,
        },
      };
    });
  },
};
