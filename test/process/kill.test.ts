import { expect, test } from 'bun:test';
import { randomFrom } from '../support/random.ts';
import { killRound } from './kill-round.ts';

const ROUNDS = 3;

const seed = Number(process.env['KILL_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0]);

test(`an animal with response 201 survives kill -9, with its id (${ROUNDS} rounds)`, async () => {
  console.log(`KILL_SEED=${seed}`);
  const random = randomFrom(seed);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { acknowledged, ...rest } = await killRound(random);
    expect(acknowledged).toBeGreaterThan(0);
    expect(rest).toEqual({ lost: [], duplicateIds: [], refused: 0, integrity: 'ok' });
  }
}, 240_000);
