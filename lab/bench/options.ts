import { Command, CommanderError } from 'commander';
import { BadFlag } from './failure.ts';
import {
  GUARDED_WORKLOADS,
  SQLITE_WORKLOADS,
  WORKLOAD_NAMES,
  type WorkloadName,
} from './workload-names.ts';

/** Parts of the benchmark with their own method. They run only if --only names them. */
const PART_NAMES = [
  'growth',
  'start',
  'memory',
  'import',
  'workers',
  'capacity',
  'search',
  'jobs',
  'batch',
  'feed',
  'webhooks',
] as const;
export type PartName = (typeof PART_NAMES)[number];

export interface Options {
  readonly workloads: readonly WorkloadName[];
  readonly parts: readonly PartName[];
  /** Names of the servers to compare with ours. */
  readonly against: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly minutes: number;
  readonly largest: number;
  readonly check: boolean;
  readonly record: boolean;
  /** Whether to measure nothing, and write the page from the results. */
  readonly page: boolean;
  /** The name of the result files. */
  readonly name: string;
}

interface Flags {
  readonly quick?: true;
  readonly only?: string;
  readonly against?: string;
  readonly rounds?: string;
  readonly seconds?: string;
  readonly minutes: string;
  readonly largest: string;
  readonly check?: true;
  readonly record?: true;
  readonly page?: true;
}

const QUICK = {
  workloads: SQLITE_WORKLOADS,
  against: ['bun-serve', 'bun-serve-100', 'create-limit', 'elysia', 'fastify'],
  rounds: 2,
  seconds: 1,
  warmUp: 1,
};
/** More, shorter pairs follow the changes of the machine's speed better than fewer, longer ones. */
const CHECK = { workloads: GUARDED_WORKLOADS, rounds: 12, seconds: 1, warmUp: 3 };
const FULL = { workloads: WORKLOAD_NAMES, rounds: 5, seconds: 5, warmUp: 3 };

/** Returns undefined after printing the help. @throws BadFlag with one sentence. */
export function readOptions(
  args: readonly string[],
  serverNames: readonly string[],
): Options | undefined {
  const command = new Command('npm run bench --')
    .description('measures the service against limits and peers')
    .option('--quick', `about two minutes: short rounds against ${QUICK.against.join(', ')}`)
    .option('--only <names>', `some of ${[...WORKLOAD_NAMES, ...PART_NAMES].join(', ')}`)
    .option('--against <names>', `some of ${serverNames.join(', ')}`)
    .option('--rounds <n>', `number of rounds (default: ${FULL.rounds})`)
    .option('--seconds <n>', `seconds per measurement (default: ${FULL.seconds})`)
    .option('--minutes <n>', 'minutes of load of `memory`', '60')
    .option(
      '--largest <n>',
      'animals in the largest catalogue of `growth` and `start`; of `capacity` and `search` at most 1000000',
      '10000000',
    )
    .option(
      '--check',
      `fail if the processor time per request rose by more than 10 %: ${GUARDED_WORKLOADS.join(', ')}`,
    )
    .option('--record', 'record the ratios of processor time; with --check those that it compares')
    .option('--page', 'measure nothing: write the tables of docs/performance.md from the results')
    .allowExcessArguments(false)
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    throw new BadFlag(sentence(error.message));
  }
  return optionsOf(command.opts<Flags>(), serverNames);
}

const sentence = (message: string): string => {
  const text = message.replace(/^error: /, '').replace(/\.?$/, '.');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
};

function optionsOf(flags: Flags, serverNames: readonly string[]): Options {
  const { quick, only, against, check = false, record = false, page = false } = flags;
  if (check && (quick || against)) {
    throw new BadFlag('--check has its own servers and rounds: leave out --quick and --against.');
  }
  const chosen = namesOf('--only', only, [...WORKLOAD_NAMES, ...(check ? [] : PART_NAMES)]);
  const preset = presetOf(flags);
  return {
    workloads: chosen ? WORKLOAD_NAMES.filter((name) => chosen.includes(name)) : preset.workloads,
    parts: PART_NAMES.filter((name) => chosen?.includes(name)),
    against: namesOf('--against', against, serverNames) ?? (quick ? QUICK.against : serverNames),
    rounds: wholeNumber('--rounds', flags.rounds, 100) ?? preset.rounds,
    seconds: wholeNumber('--seconds', flags.seconds, 600) ?? preset.seconds,
    warmUpSeconds: preset.warmUp,
    minutes: wholeNumber('--minutes', flags.minutes, 1_440) ?? 60,
    largest: wholeNumber('--largest', flags.largest, 100_000_000) ?? 10_000_000,
    check,
    record,
    page,
    name: only || against ? 'part' : quick ? 'quick' : 'full',
  };
}

function presetOf({ quick, check }: Flags) {
  if (check) return CHECK;
  return quick ? QUICK : FULL;
}

function namesOf(flag: string, text: string | undefined, known: readonly string[]) {
  const names = text?.split(',').map((name) => name.trim());
  if (names?.some((name) => !known.includes(name))) {
    throw new BadFlag(`${flag} must be some of ${known.join(', ')}, separated by commas.`);
  }
  return names;
}

function wholeNumber(flag: string, text: string | undefined, maximum: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= maximum))
    throw new BadFlag(`${flag} must be a whole number from 1 to ${maximum}.`);
  return value;
}
