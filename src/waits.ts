import { monotonicMs } from './clock.ts';

/** What a request can wait for in the storage. */
type WaitKind = 'lock' | 'disk' | 'connection';

/**
 * How long a request has waited for what, in milliseconds. The one who waits has these numbers itself: a request that does
 * not wait allocates nothing, and one that is late can say what it still waits for.
 */
export interface Waits {
  lockMs: number;
  diskMs: number;
  connectionMs: number;
  waitingFor: WaitKind | undefined;
  /** When the present wait began, on the monotonic clock. */
  waitingSinceMs: number;
}

/** One request, or those that share a transaction. Undefined: nobody wants to know. */
export type Waiters = Waits | readonly Waits[] | undefined;

/** Called where a wait begins. It ends the wait before it. @param sinceMs when it began, on the monotonic clock. */
export function beginWait(waiters: Waiters, kind: WaitKind, sinceMs = monotonicMs()): void {
  each(waiters, (waits) => {
    endAt(waits, sinceMs);
    waits.waitingFor = kind;
    waits.waitingSinceMs = sinceMs;
  });
}

/** Called where a wait has ended, successfully or not. Does nothing if there was none. */
export function endWait(waiters: Waiters): void {
  if (waiters === undefined) return;
  const nowMs = monotonicMs();
  each(waiters, (waits) => endAt(waits, nowMs));
}

/** Adds a wait during which nothing else could run. */
export function addWait(waits: Waits | undefined, kind: WaitKind, durationMs: number): void {
  if (waits !== undefined) add(waits, kind, durationMs);
}

/** In seconds. A wait that did not occur is missing. */
export type WaitedSeconds = { readonly [Kind in WaitKind]?: number };

/** The waits of a request that has its response. One that has not ended counts until now. */
export function waitedSeconds(waits: Waits, nowMs: number): WaitedSeconds {
  endAt(waits, nowMs);
  return {
    ...inSeconds('lock', waits.lockMs),
    ...inSeconds('disk', waits.diskMs),
    ...inSeconds('connection', waits.connectionMs),
  };
}

/** Shorter waits than a millisecond are left out. */
const inSeconds = (kind: WaitKind, ms: number): WaitedSeconds =>
  ms < 1 ? {} : { [kind]: Math.round(ms) / 1_000 };

function each(waiters: Waiters, work: (waits: Waits) => void): void {
  if (waiters === undefined) return;
  if (isSeveral(waiters)) waiters.forEach(work);
  else work(waiters);
}

const isSeveral = (waiters: Waits | readonly Waits[]): waiters is readonly Waits[] =>
  Array.isArray(waiters);

function endAt(waits: Waits, nowMs: number): void {
  if (waits.waitingFor === undefined) return;
  add(waits, waits.waitingFor, Math.max(0, nowMs - waits.waitingSinceMs));
  waits.waitingFor = undefined;
}

function add(waits: Waits, kind: WaitKind, durationMs: number): void {
  if (kind === 'lock') waits.lockMs += durationMs;
  else if (kind === 'disk') waits.diskMs += durationMs;
  else waits.connectionMs += durationMs;
}
