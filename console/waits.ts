import { useEffect, useState, useSyncExternalStore } from 'react';
import { ConnectionError, type Hooks, type SentRequest } from '../sdk/src/index.ts';

/** What a request waits for, so that the page says so, and the user can leave it. */
export interface Wait {
  readonly id: string;
  /** Why the last attempt failed. Undefined: the service has not responded yet. */
  readonly error?: unknown;
  /** Before, the wait is too short to be worth a word. By the clock of the browser, in milliseconds. */
  readonly shownAt: number;
  /** When the next attempt begins, or when this one has failed. */
  readonly endsAt: number;
  readonly leave: () => void;
}

/** The user did not wait for the response. */
class Left extends Error {}

/** True if the user left a request that the service may have fulfilled. */
export const isLeft = (error: unknown): boolean =>
  error instanceof ConnectionError && error.cause instanceof Left;

/** Nobody waits for the stream of events. What the page says if it is lost is in `live/`. */
export const STREAM_PATH = '/events/stream';

const SLOW_MS = 4000;
const TICK_MS = 1000;

let waits: readonly Wait[] = [];
const listeners = new Set<() => void>();

/** Replaces the wait of a request. */
function settle(id: string, wait?: Wait): void {
  waits = [...waits.filter((other) => other.id !== id), ...(wait ? [wait] : [])];
  for (const listener of listeners) listener();
}

/** The attempts of a request have its id and a number. */
const idOf = (headers: Headers): string => (headers.get('X-Request-Id') ?? '').replace(/-\d+$/, '');

const attempts = new Map<string, AbortController>();

/** Hooks of the client that note what its requests wait for. Nobody waits for the response to a read: the page can be used. */
export const watchWaits = (timeoutMs: number): Hooks => ({
  onRequest: ({ method, headers }) => {
    const id = idOf(headers);
    settle(id);
    if (method === 'GET') return;
    const controller = new AbortController();
    attempts.set(id, controller);
    const leave = () => controller.abort(new Left());
    settle(id, { id, shownAt: Date.now() + SLOW_MS, endsAt: Date.now() + timeoutMs, leave });
  },
  onResponse: ({ request }) => {
    const id = idOf(request.headers);
    attempts.delete(id);
    settle(id);
  },
  onRetry: ({ request, error, retryAt, stop }) => {
    if (isLeft(error)) return stop();
    if (request.path === STREAM_PATH) return;
    const id = idOf(request.headers);
    const leave = () => {
      settle(id);
      stop();
    };
    settle(id, { id, error, shownAt: Date.now() + TICK_MS, endsAt: +retryAt, leave });
  },
});

/** Ends the wait of a request that its caller gives up. */
export const forgetWait = ({ headers }: SentRequest): void => settle(idOf(headers));

/** Sends an attempt, unless the user leaves it. */
export function fetchUnlessLeft(url: string, init: RequestInit): Promise<Response> {
  const controller = attempts.get(idOf(new Headers(init.headers)));
  const signals = [controller?.signal, init.signal].filter((signal) => signal != null);
  return fetch(url, { ...init, signal: AbortSignal.any(signals) });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The wait that is worth a word, and the milliseconds that are left of it. */
export function useWait(): { readonly wait: Wait; readonly leftMs: number } | undefined {
  const known = useSyncExternalStore(subscribe, () => waits);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (known.length === 0) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS / 2);
    return () => clearInterval(timer);
  }, [known]);
  const wait = known.find(({ shownAt, endsAt }) => shownAt <= now && now < endsAt);
  return wait && { wait, leftMs: wait.endsAt - now };
}
