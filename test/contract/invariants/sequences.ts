import fc from 'fast-check';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { anyRequestStep } from './steps.ts';

/** A step of a sequence. `key` is the index of an API key in the order of creation. */
export type Step = AnyStep | { readonly do: 'delete ended orders' };
type AnyStep = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

const anyStep = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      request: anyRequestStep,
      retries: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  },
  fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 40 }) }),
  fc.record({
    do: fc.constant('create a key' as const),
    scopes: fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1 }),
    minutes: fc.option(fc.integer({ min: 1, max: 60 })),
  }),
  fc.record({ do: fc.constant('revoke a key' as const), key: fc.nat(3) }),
  fc.record({
    do: fc.constant('rotate a key' as const),
    key: fc.nat(3),
    graceMinutes: fc.nat(20),
  }),
  fc.constant({ do: 'list the keys' as const }),
  fc.record({ do: fc.constant('use a key' as const), key: fc.nat(3) }),
);

export const anySequence: fc.Arbitrary<Step[]> = fc.array(anyStep, { maxLength: 40, size: 'max' });
