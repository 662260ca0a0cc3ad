import {
  disconnects,
  kills,
  type Proof,
  type ProofOptions,
  replay,
  streams,
  writers,
} from '../feed/proofs.ts';
import type { FeedEngine } from '../feed/served-feed.ts';
import { controlOf, type Outcome, type Trial } from './trial.ts';

interface FeedTrial extends Pick<Trial, 'promise' | 'method' | 'unit' | 'limitMinutes'> {
  readonly isRandomSample: boolean;
  readonly prove: (options: ProofOptions) => Promise<Proof>;
  readonly rounds: number;
  readonly seconds?: number;
  readonly controlRounds: number;
}

const TRIALS: Readonly<Record<string, FeedTrial>> = {
  kills: {
    promise: 'Every change has its event, and every event its change, through `kill -9`.',
    method:
      'The service is killed under 200 changes a second. A client of the stream resumes each time. The events must rebuild the catalogue exactly, and include every acknowledged change.',
    unit: 'kills',
    isRandomSample: true,
    limitMinutes: 20,
    prove: kills,
    rounds: 100,
    controlRounds: 1,
  },
  writers: {
    promise: 'The events of an animal are in the order of its changes.',
    method: 'Eight writers change the same 50 animals.',
    unit: 'changes',
    isRandomSample: false,
    limitMinutes: 20,
    prove: writers,
    rounds: 80_000,
    controlRounds: 200,
  },
  disconnects: {
    promise: 'A stream that is cut and resumed has no gap and no repetition.',
    method: 'Connections of clients are cut at random moments under changes. Each resumes.',
    unit: 'cut connections',
    isRandomSample: true,
    limitMinutes: 20,
    prove: disconnects,
    rounds: 1_000,
    controlRounds: 20,
  },
  streams: {
    promise: 'A thousand streams receive every event.',
    method: 'A thousand clients follow the changes of ten minutes.',
    unit: 'changes',
    isRandomSample: false,
    limitMinutes: 30,
    prove: streams(1_000),
    rounds: 2_000,
    seconds: 600,
    controlRounds: 20,
  },
  replay: {
    promise: 'A mirror that was down for a day catches up to the exact catalogue.',
    method:
      'A day of changes at ten a second is read at once by a mirror. It must equal the catalogue, byte by byte.',
    unit: 'changes',
    isRandomSample: false,
    limitMinutes: 60,
    prove: replay,
    rounds: 864_000,
    controlRounds: 200,
  },
};

const ENGINES: readonly FeedEngine[] = ['sqlite', 'postgres'];
const PRODUCTS: Readonly<Record<FeedEngine, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const trialOn = (
  engine: FeedEngine,
  { prove, rounds, seconds = 0, controlRounds, ...described }: FeedTrial,
): Trial => ({
  ...described,
  promise: `${described.promise.slice(0, -1)}, on ${PRODUCTS[engine]}.`,
  tools: [],
  async run({ random }): Promise<Outcome> {
    const limitMs = described.limitMinutes * 60_000;
    const options = { engine, rounds, seconds, random, limitMs };
    const { problems, figures } = await prove(options);
    const skips = (count: number): boolean => count === 10;
    const control = await prove({ ...options, rounds: controlRounds, seconds: 1, skips });
    return {
      trials: rounds,
      failures: problems,
      control: controlOf('a client misses one event', control.problems, /./),
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
