import { fencedBlocks, followsDirectly } from './fenced-blocks.ts';
import { runProgram, startService, withService, workplace } from './process.ts';

/** A command of a guide, and what the guide says that it prints. */
export interface Example {
  /** The line of the command in the guide. */
  readonly line: number;
  readonly language: 'sh' | 'js';
  readonly command: string;
  /** The settings of the service that runs the command, such as `RATE_LIMIT=2/60s`. */
  readonly settings: string;
  /** Undefined if the guide shows no output. */
  readonly shown: string | undefined;
}

/**
 * The examples of a guide: each fenced block in the languages `sh` and `js`. Settings follow the language. The output
 * is the next block, if it has another language and only blank lines are between them.
 */
export function examplesOf(markdown: string): Example[] {
  const blocks = fencedBlocks(markdown);
  return blocks.flatMap(({ language, line, text, info }, number): Example[] => {
    if (language !== 'sh' && language !== 'js') return [];
    const next = blocks[number + 1];
    const isOutput =
      next !== undefined && !['sh', 'js'].includes(next.language) && followsDirectly(next);
    return [
      { line, language, command: text, settings: info, shown: isOutput ? next.text : undefined },
    ];
  });
}

/** The address and the key that stand in the guide. */
const ORIGIN = 'http://127.0.0.1:8080';
const KEY = 'ask_live_…';

/** Starts a line that separates the outputs. */
const SEPARATOR = '\u001e';

/** Runs the examples of a guide, those with the same settings on one service and in one shell. Returns their outputs. */
export async function runExamples(examples: readonly Example[]): Promise<Map<Example, string>> {
  const [setUp] = examples;
  const outputs = new Map<Example, string>();
  if (setUp === undefined) return outputs;
  for (const [settings, together] of Map.groupBy(examples, (example) => example.settings)) {
    const session = settings === setUp.settings ? together : [setUp, ...together];
    const printed = await runSession(session, settings);
    for (const [number, example] of session.entries()) {
      if (together.includes(example)) outputs.set(example, printed[number] ?? '');
    }
  }
  return outputs;
}

async function runSession(examples: readonly Example[], settings: string): Promise<string[]> {
  const place = workplace();
  const pairs = settings.split(' ').filter((pair) => pair !== '');
  const variables = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
  try {
    const service = await startService(place.database, [], { variables });
    const { origin, firstKey = '' } = service;
    const script = examples.map(({ language, command }) => {
      const code = command.replaceAll(ORIGIN, origin).replaceAll(KEY, firstKey);
      return `printf '${SEPARATOR}'\n${language === 'sh' ? code : runScript(code)}`;
    });
    const run = () => runProgram(['sh', '-e'], { input: script.join('') });
    const { stdout, status, stderr } = await withService(service, run);
    if (status !== 0) throw new Error(`The examples failed: ${stderr}`);
    const outputs = stdout.split(SEPARATOR).slice(1);
    return outputs.map((output) => output.replaceAll(origin, ORIGIN));
  } finally {
    place.remove();
  }
}

const runScript = (code: string): string => `'${process.execPath}' run - <<'END'\n${code}END\n`;

/** Puts marks in place of everything that differs from run to run. */
export const masked = (output: string): string =>
  output
    .replaceAll('\r', '')
    .replaceAll(/ask_(live|test)_(?:\w{36}|…\w{4})/g, 'ask_$1_…')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(time)')
    .replaceAll(/^Date: .*$/gm, 'Date: (time)')
    .replaceAll(/^X-Request-Id: [0-9a-f]{8}-[0-9a-f]+$/gm, 'X-Request-Id: (id)')
    .replaceAll(/;t=\d+$/gm, ';t=(seconds)')
    .replaceAll(/^Retry-After: \d+$/gm, 'Retry-After: (seconds)')
    .trim();
