/** The proofs of the feed in their short form. `npm run soak:events` has the long one. */
import { describe, expect, test } from 'bun:test';
import type { ReceivedEvent } from '../support/event-requests.ts';
import { randomFrom } from '../support/random.ts';
import { problemsOf } from './history.ts';
import {
  disconnects,
  kills,
  type Proof,
  type ProofOptions,
  replay,
  streams,
  writers,
} from './proofs.ts';
import type { FeedEngine } from './served-feed.ts';

/** Repeat a failed run with FEED_SEED=<the seed that was printed>. */
const seed = Number(process.env['FEED_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0]);

/** What depends on the engine. */
const ON_POSTGRES = ['kills', 'writers', 'disconnects'];

const PROOFS: Readonly<Record<string, [(options: ProofOptions) => Promise<Proof>, number]>> = {
  kills: [kills, 2],
  writers: [writers, 100],
  disconnects: [disconnects, 20],
  streams: [streams(100), 20],
  replay: [replay, 100],
};

const CASES = Object.entries(PROOFS).flatMap(([name, proof]) =>
  (['sqlite', 'postgres'] as const)
    .filter((engine) => engine === 'sqlite' || ON_POSTGRES.includes(name))
    .map((engine): [string, FeedEngine, ...typeof proof] => [name, engine, ...proof]),
);

test.each(CASES)('%s on %s', async (_name, engine, prove, rounds) => {
  console.log(`FEED_SEED=${seed}`);
  const options = { engine, rounds, seconds: 0.5, random: randomFrom(seed), limitMs: 30_000 };
  const { problems, trials } = await prove(options);
  expect(problems).toEqual([]);
  expect(trials).toBeGreaterThan(0);
});

test.each([
  ...Object.entries(PROOFS).map(([name, proof]) => [name, 'missed', ...proof] as const),
  ['writers', 'late', writers, 100] as const,
])('the proof %s finds one event that a client has %s', async (name, kind, prove, rounds) => {
  const options = {
    engine: 'sqlite',
    rounds: name === 'kills' ? 1 : rounds / 4,
    seconds: 0.5,
    random: randomFrom(seed),
    limitMs: 30_000,
    fault: { kind, at: 10 },
  } as const;
  expect((await prove(options)).problems).not.toEqual([]);
});

describe('the history of an animal', () => {
  const event = (position: number, type: string, name: string, before?: string): ReceivedEvent => ({
    id: `00000000-${position}`,
    type,
    subject: 'pets/1',
    timestamp: '',
    actor: {},
    data: { id: 1, name },
    ...(before !== undefined && { previous: { name: before } }),
  });
  const created = event(1, 'pet.created', 'change 1');
  const second = event(2, 'pet.updated', 'change 2', 'change 1');
  const third = event(3, 'pet.updated', 'change 3', 'change 2');
  const now = [{ id: 1, name: 'change 3' }];
  const names = ['change 1', 'change 2', 'change 3'];

  test('has no problems if each change has its event', () => {
    expect(problemsOf([created, second, third], now, names)).toEqual([]);
  });

  test.each([
    ['is lost in the middle', [created, third], now],
    ['is lost at the end', [created, second], now],
    ['is repeated', [created, second, second, third], now],
    ['is invented', [created, second, third, event(4, 'pet.updated', 'x', 'change 3')], now],
    [
      'is in another order',
      [created, { ...third, id: second.id }, { ...second, id: third.id }],
      now,
    ],
    ['was not made', [created, second, third], [{ id: 1, name: 'change 2' }]],
    ['is of an unknown animal', [second, third], now],
  ])('has one if a change %s', (_fault, events, catalogue) => {
    expect(problemsOf(events, catalogue, names)).not.toEqual([]);
  });
});
