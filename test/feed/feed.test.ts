/** The proofs of the feed in their short form. `npm run soak:events` has the long one. */
import { describe, expect, test } from 'bun:test';
import type { ReceivedEvent } from '../support/event-requests.ts';
import { randomFrom } from '../support/random.ts';
import { problemsOf } from './history.ts';
import { disconnects, kills, type ProofOptions, replay, streams, writers } from './proofs.ts';
import type { FeedEngine } from './served-feed.ts';

/** Repeat a failed run with FEED_SEED=<the seed that was printed>. */
const seed = Number(process.env['FEED_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0]);

const optionsOf = (engine: FeedEngine, rounds: number): ProofOptions => ({
  engine,
  rounds,
  seconds: 0.5,
  random: randomFrom(seed),
  limitMs: 30_000,
});

test.each([
  ['kills', 'sqlite', kills, 1],
  ['kills', 'postgres', kills, 1],
  ['writers', 'sqlite', writers, 100],
  ['writers', 'postgres', writers, 100],
  // They do not depend on the engine.
  ['disconnects', 'sqlite', disconnects, 10],
  ['streams', 'sqlite', streams(100), 20],
  ['replay', 'sqlite', replay, 100],
] as const)('%s on %s', async (_name, engine, prove, rounds) => {
  console.log(`FEED_SEED=${seed}`);
  const { problems, trials } = await prove(optionsOf(engine, rounds));
  expect(problems).toEqual([]);
  expect(trials).toBeGreaterThan(0);
});

// `kills` and `disconnects` compare as `writers` does.
test.each([
  ['writers', 'missed', writers],
  ['writers', 'late', writers],
  ['streams', 'missed', streams(4)],
  ['replay', 'missed', replay],
] as const)('the proof %s finds one event that a client has %s', async (_name, kind, prove) => {
  const options = { ...optionsOf('sqlite', 25), fault: { kind, at: 2 } };
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
