import type { RequestCause } from '../../src/events/cause.ts';

/** The cause of what tests write without HTTP. */
export const BY_TEST: RequestCause = {
  actor: { keyId: 1 },
  at: Date.parse('2027-01-01T00:00:00Z'),
};
