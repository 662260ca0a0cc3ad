import type { ClientFault } from '../../test/feed/follower.ts';
import {
  disconnects,
  kills,
  type Proof,
  type ProofOptions,
  replay,
  streams,
  writers,
} from '../../test/feed/proofs.ts';
import type { FeedEngine } from '../../test/feed/served-feed.ts';
import { controlOf, type Outcome, type Trial } from './trial.ts';

interface FeedTrial extends Pick<Trial, 'promise' | 'method' | 'unit' | 'lanes' | 'limitMinutes'> {
  readonly isRandomSample: boolean;
  readonly prove: (options: ProofOptions) => Promise<Proof>;
  readonly rounds: number;
  readonly seconds?: number;
  readonly controlRounds: number;
  readonly control: FeedControl;
}

interface FeedControl {
  readonly kind: ClientFault;
  readonly text: string;
  /** The problem that names the fault. */
  readonly names: RegExp;
}

const MISSED: FeedControl = {
  kind: 'missed',
  text: 'a client misses one event',
  names: /^a client received \d+ of \d+ events$/,
};

const LATE: FeedControl = {
  kind: 'late',
  text: 'a client receives one event after its successor',
  names: /^\S+ follows \d+$/,
};

const TRIALS: Readonly<Record<string, FeedTrial>> = {
  kills: {
    promise: 'Every change has its event, and every event its change, through `kill -9`.',
    method:
      'The service is killed under 200 changes a second, and started again. A client of the stream resumes each time. A catalogue built from its events must be equal to the real one, and each acknowledged addition and change must have its event.',
    unit: 'kills',
    isRandomSample: true,
    limitMinutes: 20,
    prove: kills,
    rounds: 100,
    controlRounds: 1,
    control: MISSED,
  },
  writers: {
    promise: 'The events of an animal are in the order of its changes.',
    method:
      'Eight clients change the same 50 animals, as fast as they can. Another follows: the position of each event must be above the one before, and each event must begin with the values that the last event of the animal ended with.',
    unit: 'changes',
    isRandomSample: false,
    limitMinutes: 20,
    prove: writers,
    rounds: 80_000,
    controlRounds: 200,
    control: LATE,
  },
  disconnects: {
    promise: 'A stream that is cut and resumed has no gap and no repetition.',
    method:
      'Ten clients follow 200 changes a second. Their connections are cut at random moments, and they resume. Each client must have received every event of the list once, in order.',
    unit: 'cut connections',
    isRandomSample: true,
    limitMinutes: 20,
    prove: disconnects,
    rounds: 1_000,
    controlRounds: 20,
    control: MISSED,
  },
  streams: {
    promise: 'A thousand streams receive every event.',
    method:
      'A thousand clients follow 20 changes a second for ten minutes. Each must receive every event once, in the order of the list of events.',
    unit: 'events',
    isRandomSample: false,
    lanes: 2,
    limitMinutes: 30,
    prove: streams(1_000),
    rounds: 2_000,
    seconds: 600,
    controlRounds: 20,
    control: MISSED,
  },
  replay: {
    promise: 'A mirror that was down for a day catches up to the exact catalogue.',
    method:
      'A client reads the events of 864,000 changes, ten a second for a day, and builds a copy of the catalogue from them. It must have each event, and the copy must be equal to the catalogue, byte by byte.',
    unit: 'changes',
    isRandomSample: false,
    limitMinutes: 60,
    prove: replay,
    rounds: 864_000,
    controlRounds: 200,
    control: MISSED,
  },
};

const ENGINES: readonly FeedEngine[] = ['sqlite', 'postgres'];
const PRODUCTS: Readonly<Record<FeedEngine, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const trialOn = (
  engine: FeedEngine,
  { prove, rounds, seconds = 0, controlRounds, control, ...described }: FeedTrial,
): Trial => ({
  ...described,
  promise: `${described.promise.slice(0, -1)}, on ${PRODUCTS[engine]}.`,
  tools: [],
  async run({ random }): Promise<Outcome> {
    const limitMs = described.limitMinutes * 60_000;
    const options = { engine, rounds, seconds, random, limitMs };
    const { trials, problems: failures, figures } = await prove(options);
    const fault = { kind: control.kind, at: 10 };
    const planted = await prove({ ...options, rounds: controlRounds, seconds: 1, fault });
    return {
      trials,
      failures,
      control: controlOf(control.text, planted.problems, control.names),
      figures,
    };
  },
});

/** The proofs of the feed of events, on both engines. */
export const FEED_TRIALS: Readonly<Record<string, Trial>> = Object.fromEntries(
  Object.entries(TRIALS).flatMap(([name, trial]) =>
    ENGINES.map((engine) => [`events-${name}-${engine}`, trialOn(engine, trial)]),
  ),
);
