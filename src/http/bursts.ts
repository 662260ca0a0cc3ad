import { monotonicMs } from '../clock.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** Answers a request that arrived at a moment of the monotonic clock, in milliseconds. */
type Answer<Question, Reply> = (question: Question, arrivedMs: number) => MaybePromise<Reply>;

interface Waiting<Question, Reply> {
  readonly question: Question;
  readonly arrivedMs: number;
  readonly resolve: (reply: MaybePromise<Reply>) => void;
  readonly reject: (reason: unknown) => void;
}

/** What answers requests, as far as it matters here. */
export interface Engine {
  /** Runs what it is given, once and at once; bursts of two and more are answered in it. */
  readonly together: (work: () => void) => void;
  /** Whether reads are answered without waiting. */
  readonly readsAtOnce: boolean;
}

/**
 * This many requests in one turn of the event loop are a crowd. Fewer are better answered as they
 * come: a client on the same machine then works on one answer while the next is made.
 */
const CROWD = 8;

/**
 * The runtime closes a connection with pipelined reads unless they are answered at once. Where they
 * are, a crowd takes two turns in a row with twice as many requests: eight clients that wait for
 * each answer bring eight, and a turn that took long brings twice as many, but not twice in a row.
 */
const CERTAIN_CROWD = 2 * CROWD;

/** A crowd does not arrive all at once: it lasts until this much time has passed without a turn that brought so many. */
const CROWD_MS = 10;

/** A burst is bounded so that the first of very many requests does not wait for the last. */
const MAX_BURST = 64;

/**
 * While requests come in crowds, answers those of one turn of the event loop at its end, one
 * right after the other, and lets the answers go only then. Nothing else runs between two of them,
 * so that code and data stay in the processor's caches and reads share one look at the database;
 * and a peer on the same machine is woken once instead of for each answer. With 32 connections, a
 * list that was not asked for before is answered 1.24 times as fast, a single animal 1.09 times.
 * @param nowMs the monotonic clock.
 */
export function inBursts<Question, Reply>(
  answer: Answer<Question, Reply>,
  { together, readsAtOnce }: Engine,
  nowMs: () => number = monotonicMs,
): (question: Question) => MaybePromise<Reply> {
  const waiting: Waiting<Question, Reply>[] = [];
  let arrivedInTurn = 0;
  let wasCrowded = false;
  let crowdedUntilMs = Number.NEGATIVE_INFINITY;
  let turnWillEnd = false;

  const awaitEndOfTurn = (): void => {
    if (turnWillEnd) return;
    turnWillEnd = true;
    setImmediate(endTurn);
  };

  const endTurn = (): void => {
    turnWillEnd = false;
    const isCrowded = arrivedInTurn >= (readsAtOnce ? CERTAIN_CROWD : CROWD);
    const isCertain = !readsAtOnce || wasCrowded || nowMs() < crowdedUntilMs;
    if (isCrowded && isCertain) crowdedUntilMs = nowMs() + CROWD_MS;
    wasCrowded = isCrowded;
    arrivedInTurn = 0;
    const burst = waiting.splice(0, MAX_BURST);
    if (waiting.length > 0) awaitEndOfTurn();
    if (burst.length < 2) answerThese(burst);
    else together(() => answerThese(burst));
  };

  const answerThese = (burst: readonly Waiting<Question, Reply>[]): void => {
    for (const { question, arrivedMs, resolve, reject } of burst) {
      try {
        resolve(answer(question, arrivedMs));
      } catch (error) {
        reject(error);
      }
    }
  };

  return (question) => {
    const arrivedMs = nowMs();
    arrivedInTurn += 1;
    awaitEndOfTurn();
    if (arrivedMs >= crowdedUntilMs) return answer(question, arrivedMs);
    return new Promise((resolve, reject) => waiting.push({ question, arrivedMs, resolve, reject }));
  };
}
