/** The handbook: the pages of docs for operators. */
import { readFileSync } from 'node:fs';
import {
  attributesOf,
  type CommandBlock,
  commandBlocks,
  type FencedBlock,
  fencedBlocks,
  followsDirectly,
  withoutBlocks,
} from '../support/fenced-blocks.ts';
import { ROOT } from '../support/process.ts';

/** What a drill may need: programs, and `root` for an installation as root. */
const DRILL_PROGRAMS = [
  'git',
  'haproxy',
  'pg_dump',
  'pg_dumpall',
  'postgresql-15',
  'postgresql-18',
  'prometheus',
  'promtool',
  'root',
] as const;
export type DrillProgram = (typeof DRILL_PROGRAMS)[number];

const isDrillProgram = (name: string): name is DrillProgram =>
  DRILL_PROGRAMS.some((program) => program === name);

const NAMES =
  'access data failures install postgresql postgresql-backup scaling telemetry upgrade monitor';

export const HANDBOOK: readonly string[] = NAMES.split(' ').map((name) => `docs/${name}.md`);

/**
 * How a block is proven. The words after its language say it:
 *
 * - `run`: handbook.test.ts executes it in the shell of its page, and compares the output.
 * - `drill=PROGRAM`: a drill does the same because it needs this program. More programs: `drill=a,b`.
 * - `test=FILE name=NAME`: this file takes it from the page with `handbookBlock`.
 * - nothing: the sentence before it starts with "*Not run in our tests: ".
 */
type Proof =
  | { readonly kind: 'run' }
  | { readonly kind: 'drill'; readonly programs: readonly DrillProgram[] }
  | { readonly kind: 'test'; readonly file: string; readonly name: string }
  | { readonly kind: 'none'; readonly isSaid: boolean };

export interface HandbookBlock extends CommandBlock {
  readonly page: string;
  readonly proof: Proof;
  /** The expected exit status, from `status=N`. 0 by default. */
  readonly status: number;
}

/** The languages of blocks that show output. */
const OUTPUTS = ['', 'json'];

const NOT_RUN = /\*Not run in our tests: [^*]+\*\s*$/;

export const readPage = (page: string): string => readFileSync(`${ROOT}${page}`, 'utf8');

function proofOf({ info, before }: FencedBlock): Proof {
  const { run, drill, test, name = '' } = attributesOf(info);
  if (run !== undefined) return { kind: 'run' };
  if (drill !== undefined) {
    const programs = drill.split(',');
    if (programs.every(isDrillProgram)) return { kind: 'drill', programs };
    throw new Error(`No drill provides ${drill}.`);
  }
  if (test !== undefined) return { kind: 'test', file: test, name };
  return { kind: 'none', isSaid: NOT_RUN.test(before) };
}

/** The blocks of a page that are no output, in order. */
export const blocksOf = (page: string): HandbookBlock[] =>
  commandBlocks(readPage(page), isOutput).map((block) => ({
    ...block,
    page,
    proof: proofOf(block),
    status: Number(attributesOf(block.info)['status'] ?? 0),
  }));

/** A fence that is no block, for example in a list or with tildes, or an indented block. */
const UNPARSED_CODE = /^[\s>]*(```|~~~)|^ {4,}\S/;

/** The lines of a page with code that no test would see: an output that no executed block shows, or unparsed code. */
export function unseenLines(markdown: string): number[] {
  const blocks = fencedBlocks(markdown);
  const stray = blocks.filter((block, number) => {
    const command = blocks[number - 1];
    return isOutput(block) && !(command && isExecuted(command) && followsDirectly(block));
  });
  const unparsed = withoutBlocks(markdown)
    .split('\n')
    .flatMap((line, index) => (UNPARSED_CODE.test(line) ? [index + 1] : []));
  return [...stray.map(({ line }) => line), ...unparsed];
}

const isOutput = ({ language }: FencedBlock): boolean => OUTPUTS.includes(language);

const isExecuted = (block: FencedBlock): boolean =>
  !isOutput(block) && ['run', 'drill'].includes(proofOf(block).kind);

/** The text of the block with this name on a page such as `postgresql`. @throws if there is none. */
export function handbookBlock(page: string, name: string): string {
  const found = HANDBOOK.filter((path) => path.endsWith(`/${page}.md`))
    .flatMap(blocksOf)
    .find(({ proof }) => proof.kind === 'test' && proof.name === name);
  if (found === undefined) throw new Error(`The page ${page} has no block ${name}.`);
  return found.text;
}

export function statementsOf(block: string): string[] {
  const lines = block.split('\n').filter((line) => !line.startsWith('--'));
  const statements = lines.join('\n').split(';\n');
  return statements.filter((statement) => statement.trim() !== '');
}
