import { expect, test } from 'bun:test';
import { randomFrom } from '../../test/support/random.ts';
import { type Round, violations } from './rounds.ts';

const seed = Number(process.env['FAULT_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0]);

/** A test for each of these rounds. */
export const testRounds = (rounds: Readonly<Record<string, Round>>): void =>
  test.each(Object.entries(rounds))(
    '%s under load: no acknowledged write is lost, every request gets a response in time, and the service recovers',
    async (_name, round) => {
      console.log(`FAULT_SEED=${seed}`);
      expect(violations(await round(randomFrom(seed)))).toEqual([]);
    },
  );
