import { attributesOf, type CommandBlock, commandBlocks } from '../support/fenced-blocks.ts';
import { runProgram, startService, withService, workplace } from '../support/process.ts';
import { inOneShell, outputsOf } from '../support/shown-output.ts';

/**
 * The examples of a guide: each fenced block in the languages `sh` and `js`. The settings of its service follow the
 * language, such as `RATE_LIMIT=2/60s`. A block in `bash` starts the service of the reader: the test has its own. A block in another language is output. Without output, an example prints nothing.
 */
export const examplesOf = (markdown: string): CommandBlock[] =>
  commandBlocks(markdown, ({ language }) => !['sh', 'js'].includes(language)).map((example) => ({
    ...example,
    shown: example.shown ?? '',
  }));

/** The address and the key that stand in the guide. */
const ORIGIN = 'http://127.0.0.1:8080';
const KEY = 'ask_live_…';

/** Runs the examples of a guide, those with the same settings on one service and in one shell. Returns their outputs. */
export async function runExamples(examples: readonly CommandBlock[]): Promise<string[]> {
  const [setUp] = examples;
  const outputs = new Map<CommandBlock, string>();
  for (const [settings, together] of Map.groupBy(examples, ({ info }) => info)) {
    const session = !setUp || settings === setUp.info ? together : [setUp, ...together];
    const printed = await runSession(session, attributesOf(settings));
    for (const [number, example] of session.entries()) {
      if (together.includes(example)) outputs.set(example, printed[number] ?? '');
    }
  }
  return examples.map((example) => outputs.get(example) ?? '');
}

/** Runs examples on one service, with these settings. */
async function runSession(
  examples: readonly CommandBlock[],
  variables: Readonly<Record<string, string>>,
): Promise<string[]> {
  using place = workplace();
  const service = await startService(place.database, [], { variables });
  const { origin, firstKey = '' } = service;
  const scripts = examples.map(({ language, text }) => {
    const code = text.replaceAll(ORIGIN, origin).replaceAll(KEY, firstKey);
    return language === 'sh' ? code : runScript(code);
  });
  const run = () =>
    runProgram(['sh', '-e'], {
      input: inOneShell(scripts),
      // For commands on the database of the service.
      variables: { DATABASE_URL: place.database },
    });
  const { stdout, status, stderr } = await withService(service, run);
  if (status !== 0) throw new Error(`The examples failed: ${stderr}`);
  return outputsOf(stdout).map((output) => output.replaceAll(origin, ORIGIN));
}

const runScript = (code: string): string => `'${process.execPath}' run - <<'END'\n${code}END\n`;
