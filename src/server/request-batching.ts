import { monotonicMs } from '../clock.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** Handles a request that arrived at `arrivedMs` of the monotonic clock. */
type Handle<Req, Res> = (request: Req, arrivedMs: number) => MaybePromise<Res>;

interface WaitingRequest<Req, Res> {
  readonly request: Req;
  readonly arrivedMs: number;
  readonly resolve: (response: MaybePromise<Res>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The part of `Database` that batching depends on. */
export interface BatchingDatabase {
  readonly inSnapshot: (work: () => void) => void;
  readonly readsSynchronously: boolean;
}

/**
 * Batching starts when one turn of the event loop brings this many requests. With fewer, a client
 * on the same machine works on one response while the next is made.
 */
const BUSY_TURN = 8;

/**
 * The runtime closes a connection with pipelined reads unless the response is made immediately. If
 * reads are synchronous, batching therefore starts later: after two turns in a row with this many
 * requests. Eight clients that wait for each response bring eight requests a turn. A long turn
 * brings twice as many, but not twice in a row.
 */
const SUSTAINED_TURN = 2 * BUSY_TURN;

/** Batching ends after this time without a busy turn. */
const IDLE_MS = 10;

/** The limit for one batch, so that the first of many requests does not wait for the last. */
const MAX_BATCH_SIZE = 64;

/**
 * Under load, handles all requests of one turn of the event loop at its end, and sends the responses then. Code and data stay
 * in the processor's caches, and reads share one snapshot of the database. A client on the same machine wakes up once instead
 * of for each response. With 32 connections, a list that is not cached is 1.24 times as fast, and a single animal 1.09 times.
 * @param nowMs the monotonic clock.
 */
export function batchRequests<Req, Res>(
  handle: Handle<Req, Res>,
  { inSnapshot, readsSynchronously }: BatchingDatabase,
  nowMs: () => number = monotonicMs,
): (request: Req) => MaybePromise<Res> {
  const waiting: WaitingRequest<Req, Res>[] = [];
  let arrivedInTurn = 0;
  let wasBusy = false;
  let batchingUntilMs = Number.NEGATIVE_INFINITY;
  let turnWillEnd = false;

  const awaitEndOfTurn = (): void => {
    if (turnWillEnd) return;
    turnWillEnd = true;
    setImmediate(endTurn);
  };

  const endTurn = (): void => {
    turnWillEnd = false;
    const isBusy = arrivedInTurn >= (readsSynchronously ? SUSTAINED_TURN : BUSY_TURN);
    const isSustained = !readsSynchronously || wasBusy || nowMs() < batchingUntilMs;
    if (isBusy && isSustained) batchingUntilMs = nowMs() + IDLE_MS;
    wasBusy = isBusy;
    arrivedInTurn = 0;
    const batch = waiting.splice(0, MAX_BATCH_SIZE);
    if (waiting.length > 0) awaitEndOfTurn();
    if (batch.length < 2) handleBatch(batch);
    else inSnapshot(() => handleBatch(batch));
  };

  const handleBatch = (batch: readonly WaitingRequest<Req, Res>[]): void => {
    for (const { request, arrivedMs, resolve, reject } of batch) {
      try {
        resolve(handle(request, arrivedMs));
      } catch (error) {
        reject(error);
      }
    }
  };

  return (request) => {
    const arrivedMs = nowMs();
    arrivedInTurn += 1;
    awaitEndOfTurn();
    if (arrivedMs >= batchingUntilMs) return handle(request, arrivedMs);
    return new Promise((resolve, reject) => waiting.push({ request, arrivedMs, resolve, reject }));
  };
}
