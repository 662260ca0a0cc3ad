import { randomFrom } from '../../../test/support/random.ts';
import { type Choices, choicesOf } from './choices.ts';
import { ambiguous, broken, framed, withHiddenRequest } from './framing.ts';
import { anyRequest, type FuzzedRequest, type Known } from './requests.ts';

/** What is sent on one connection, and what may come back. */
export type Conversation = {
  readonly name: string;
  readonly steps: readonly Step[];
} & (
  | {
      /** Each request is sent after the response to the one before. Each must get its response. */
      readonly kind: 'in turn';
    }
  | {
      /**
       * All at once: `pipelined` and `half-closed` may get no response (docs/failures.md), but the
       * connection must close then. `ambiguous` and `broken` get a refusal, or nothing.
       */
      readonly kind: 'pipelined' | 'half-closed' | 'ambiguous' | 'broken';
      readonly isReset: boolean;
    }
);

/** A request as it is sent. */
export interface Step {
  readonly request: FuzzedRequest;
  readonly pieces: readonly Buffer[];
  /** The pause before each further piece. */
  readonly pauseMs: number;
}

/** Conversation `number` of a seed. All of it follows from these two. */
export function conversationOf(seed: number, number: number, known: Known): Conversation {
  const c = choicesOf(randomFrom((seed + Math.imul(number, 0x9e3779b1)) | 0));
  const name = `conversation ${number} of seed ${seed}`;
  const next = (position: number): FuzzedRequest =>
    anyRequest(c, `fuzz-${number}-${position}`, known);
  const stepsOf = (count: number): Step[] =>
    Array.from({ length: count }, (_, position) => {
      const request = next(position);
      // A body that is not JSON.
      const sent =
        c.chance(0.03) && request.body !== undefined
          ? withHiddenRequest(request, known.keys[0])
          : request;
      return stepOf(c, sent, framed(c, sent));
    });
  const kind = c.int(1, 100);
  if (kind <= 60) return { name, kind: 'in turn', steps: stepsOf(c.int(1, 6)) };
  const isReset = c.chance(0.2);
  if (kind <= 70) return { name, kind: 'pipelined', isReset, steps: stepsOf(c.int(2, 8)) };
  if (kind <= 75) return { name, kind: 'half-closed', isReset, steps: stepsOf(1) };
  // Here it is not known to which request a response belongs, so each has its body.
  const request = withoutHead(next(0));
  if (kind <= 80) {
    const bytes = ambiguous(c, request, known.keys[0]);
    return { name, kind: 'ambiguous', isReset, steps: [stepOf(c, request, bytes)] };
  }
  const followers = (): Step[] => {
    const follower = withoutHead(next(1));
    return [stepOf(c, follower, framed(c, follower))];
  };
  const steps = [stepOf(c, request, broken(c, request))];
  return {
    name,
    kind: 'broken',
    isReset,
    steps: c.chance(0.3) ? [...steps, ...followers()] : steps,
  };
}

const withoutHead = (request: FuzzedRequest): FuzzedRequest =>
  request.method === 'HEAD' ? { ...request, method: 'GET' } : request;

/** Splits the bytes at any places. */
function stepOf(c: Choices, request: FuzzedRequest, bytes: Buffer): Step {
  const pieces: Buffer[] = [];
  let rest = bytes;
  for (let splits = c.chance(0.3) ? c.int(1, 5) : 0; splits > 0; splits -= 1) {
    const at = c.int(0, rest.length);
    pieces.push(rest.subarray(0, at));
    rest = rest.subarray(at);
  }
  return { request, pieces: [...pieces, rest], pauseMs: c.chance(0.3) ? c.int(1, 10) : 0 };
}
