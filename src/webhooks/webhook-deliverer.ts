import { type Clock, DAY_MS } from '../clock.ts';
import { describeEvent } from '../events/event.ts';
import { DamagedEvent } from '../events/event-content.ts';
import { formatEventId } from '../events/event-id.ts';
import { renderExactJson } from '../http/request/exact-json.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Observe } from '../observe/observation.ts';
import { runSteps, type Steps, wait } from '../steps.ts';
import { retryAt } from './retry-schedule.ts';
import type { Attempt, WebhookSender } from './webhook-sender.ts';
import type {
  ClaimedDelivery,
  DeliveryState,
  EndpointWork,
  WebhookReader,
  WebhookStore,
} from './webhook-store.ts';

const TIMEOUT_MS = 15_000;

/** After a kill, other processes wait for it. Longer than an attempt with its bookkeeping. */
const CLAIM_MS = 30_000;

/** About a millisecond on SQLite. */
const FAN_OUT_EVENTS = 500;

/** So that one endpoint leaves most of the attempts to others. One that fails gets one at a time: it may take the whole timeout. */
const ATTEMPTS_PER_ENDPOINT = 4;

const MAX_FAILING_MS = 5 * DAY_MS;

/** For an operator to set the key that is missing. */
const POSTPONED_MS = 5 * 60 * 1_000;

export interface DelivererDeps {
  readonly read: WebhookReader;
  /** Runs work in a transaction. @param recordsEvents whether it may add events. */
  readonly write: <T>(
    work: (webhooks: WebhookStore) => MaybePromise<T>,
    recordsEvents: boolean,
  ) => Promise<T>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly observe: Observe;
  /** From 0 to 1, for the jitter. */
  readonly random: () => number;
  /** The maximum number of simultaneous attempts. */
  readonly concurrency: number;
  /** Called when there may be something to do. */
  readonly wake: () => void;
  /** For tests. */
  readonly timeoutMs?: number;
}

/** An attempt that has ended, and what becomes of its delivery. */
interface Ended {
  readonly delivery: ClaimedDelivery;
  readonly state: DeliveryState;
  /** Undefined: the endpoint is not to blame. */
  readonly attempt?: Attempt;
}

/** Delivers the events of this process's share. Several processes share all by claims. */
export class WebhookDeliverer {
  /** The attempts in progress, by endpoint. */
  readonly #inProgress = new Map<Int64, number>();
  readonly #attempts = new Set<Promise<void>>();
  #ended: Ended[] = [];
  /** So that each endpoint is the first one at times. */
  #turn = 0;
  readonly #stop = new AbortController();
  #isStopping = false;

  constructor(readonly deps: DelivererDeps) {}

  /** Stores what has ended, and starts what is due. Not to be called twice at the same time. @throws StorageError */
  async run(): Promise<void> {
    const { read, write, clock } = this.deps;
    const work = this.#isStopping ? [] : await read.work(clock.now());
    const behind = work.filter(({ isBehind }) => isBehind);
    for (const { id } of behind)
      await write((webhooks) => webhooks.fanOut(id, FAN_OUT_EVENTS, clock.now()), false);
    await this.#exchange(work);
    if (behind.length > 0) this.deps.wake();
  }

  /** Stores results and claims deliveries, in one transaction. */
  async #exchange(work: readonly EndpointWork[]): Promise<void> {
    const { write, clock, observe } = this.deps;
    const wanted = this.#wanted(work);
    const ended = this.#ended;
    if (ended.length === 0 && wanted.length === 0) return;
    this.#ended = [];
    const now = clock.now();
    try {
      const { disabled, claimed } = await write(
        (webhooks) => runSteps(exchange(webhooks, ended, wanted, now)),
        ended.some(({ attempt }) => attempt?.error !== undefined),
      );
      for (const [endpointId, reason] of disabled)
        observe({ kind: 'webhook_endpoint_disabled', endpointId: String(endpointId), reason });
      // `stop` no longer waits for an attempt that starts now. The next run gives the deliveries back.
      if (this.#isStopping)
        this.#ended.push(...claimed.map((delivery) => ({ delivery, state: delivery })));
      else for (const delivery of claimed) this.#start(delivery);
    } catch (error) {
      // The claims exclude other processes for a while.
      this.#ended.unshift(...ended);
      throw error;
    }
  }

  /** How many deliveries of which endpoints this process can attempt now. */
  #wanted(work: readonly EndpointWork[]): readonly (readonly [Int64, number])[] {
    let free = this.deps.concurrency - this.#attempts.size;
    const due = work.filter(({ isDue }) => isDue);
    this.#turn += 1;
    const first = due.length === 0 ? 0 : this.#turn % due.length;
    return [...due.slice(first), ...due.slice(0, first)].flatMap(({ id, isFailing }) => {
      const most = (isFailing ? 1 : ATTEMPTS_PER_ENDPOINT) - (this.#inProgress.get(id) ?? 0);
      const count = Math.min(free, most);
      if (count <= 0) return [];
      free -= count;
      return [[id, count] as const];
    });
  }

  #start(delivery: ClaimedDelivery): void {
    const { endpointId } = delivery;
    const count = (by: number) =>
      this.#inProgress.set(endpointId, (this.#inProgress.get(endpointId) ?? 0) + by);
    count(1);
    const attempt = this.#attempt(delivery).then((ended) => {
      count(-1);
      this.#attempts.delete(attempt);
      this.#ended.push(ended);
      this.deps.wake();
    });
    this.#attempts.add(attempt);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<Ended> {
    const { sender, clock, observe, timeoutMs = TIMEOUT_MS } = this.deps;
    const { event, generation, url } = delivery;
    const id = formatEventId({ generation, position: event.id });
    try {
      const body = renderExactJson(describeEvent(event, generation));
      const secrets = delivery.secrets.map((secret) => sender.seal.open(secret));
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]);
      const attempt = await sender.send({ url, id, body, secrets }, signal);
      if (attempt.error !== undefined && this.#stop.signal.aborted)
        return { delivery, state: delivery };
      return { delivery, attempt, state: this.#stateAfter(delivery, attempt, id) };
    } catch (error) {
      observe({ kind: 'background_job_failed', error });
      return { delivery, state: { ...delivery, ...unsentState(error, clock.now()) } };
    }
  }

  #stateAfter(delivery: ClaimedDelivery, attempt: Attempt, eventId: string): DeliveryState {
    const { clock, random, observe } = this.deps;
    const { error, responseStatus, retryAfterMs, durationMs } = attempt;
    const attemptedAt = clock.now();
    const attempts = delivery.attempts + 1;
    const nextAt =
      error === undefined ? null : retryAt(attempts, attemptedAt, random(), retryAfterMs);
    const status = error === undefined ? 'delivered' : nextAt === null ? 'failed' : 'pending';
    observe({
      kind: 'webhook_attempted',
      endpointId: String(delivery.endpointId),
      eventId,
      deliveryStatus: status,
      attempts,
      reason: error,
      responseStatus,
      durationSeconds: durationMs / 1_000,
    });
    const lastStatus = responseStatus ?? null;
    const lastError = error ?? null;
    return { status, attempts, nextAt, attemptedAt, durationMs, lastStatus, lastError };
  }

  /** Starts nothing more. Waits for the attempts in progress, at most so long, then gives their deliveries back. */
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.#stop.abort(), deadlineMs);
    await Promise.all(this.#attempts);
    clearTimeout(timer);
  }

  /**
   * Seals secrets anew that another key of the setting has sealed, so that it can be removed from the setting. Expired secrets sign
   * nothing. @throws the first error, after all other secrets.
   */
  async reseal(): Promise<void> {
    const { read, write, sender, clock } = this.deps;
    const errors: unknown[] = [];
    for (const { id, secret, expiresAt } of await read.allSecrets()) {
      if (sender.seal.isCurrent(secret) || (expiresAt ?? Infinity) <= clock.now()) continue;
      try {
        const sealed = sender.seal.seal(sender.seal.open(secret));
        await write((webhooks) => webhooks.reseal(id, sealed), false);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** What becomes of a delivery that could not be sent. Without the key of its secret, it waits for the operator. */
const unsentState = (error: unknown, now: number): Partial<DeliveryState> =>
  error instanceof DamagedEvent
    ? { status: 'failed', nextAt: null, lastError: 'event_damaged' }
    : { status: 'pending', nextAt: now + POSTPONED_MS, lastError: 'secret_unreadable' };

function* exchange(
  webhooks: WebhookStore,
  ended: readonly Ended[],
  wanted: readonly (readonly [Int64, number])[],
  now: number,
): Steps<{
  readonly disabled: ReadonlyMap<Int64, 'gone' | 'failing'>;
  readonly claimed: readonly ClaimedDelivery[];
}> {
  const disabled = new Map<Int64, 'gone' | 'failing'>();
  for (const { delivery, state, attempt } of ended) {
    yield* wait(webhooks.settle(delivery.id, delivery.claimedUntil, state));
    if (attempt === undefined) continue;
    const reason = yield* judge(webhooks, delivery.endpointId, attempt, now);
    if (reason !== undefined) disabled.set(delivery.endpointId, reason);
  }
  const claimed: ClaimedDelivery[] = [];
  for (const [id, count] of wanted)
    claimed.push(...(yield* wait(webhooks.claim(id, count, now, now + CLAIM_MS))));
  return { disabled, claimed };
}

/** Notes whether an endpoint works. Disables one that is gone or has failed for days, and returns why. */
function* judge(
  webhooks: WebhookStore,
  endpointId: Int64,
  { error, responseStatus }: Attempt,
  now: number,
): Steps<'gone' | 'failing' | undefined> {
  yield* wait(webhooks.setFailing(endpointId, error === undefined ? undefined : now));
  if (error === undefined) return undefined;
  const endpoint = yield* wait(webhooks.get(endpointId));
  const isFailing = now - Date.parse(endpoint?.failingSince ?? '') >= MAX_FAILING_MS;
  const reason = responseStatus === 410 ? 'gone' : isFailing ? 'failing' : undefined;
  if (endpoint?.status !== 'enabled' || reason === undefined) return undefined;
  yield* wait(webhooks.replace({ ...endpoint, status: 'disabled', disabledReason: reason }));
  return reason;
}
