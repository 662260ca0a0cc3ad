import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/process.ts';
import { readAll } from './catalogue.ts';
import { type Seen, startLoad } from './clients.ts';
import type { Course, Fault } from './faults.ts';
import { CONNECTIONS, onStage, type Stage } from './stage.ts';
import { backendsOf, type Readiness, watch } from './watch.ts';

export interface Outcome {
  readonly fault: Pick<Fault, 'preventsWrites' | 'preventsReadiness'>;
  /** How many animals were answered 201. */
  readonly acknowledged: number;
  /** Those of them that are not there afterwards under the id they were answered with. */
  readonly lost: readonly string[];
  /** Names that are there more than once: each was sent once, or with one Idempotency-Key. */
  readonly duplicates: readonly string[];
  readonly unanswered: readonly string[];
  readonly longestWaitMs: number;
  /** From the moment the database takes writes again, until an animal sent after it was acknowledged. */
  readonly recoveryMs: number;
  /** How often each method got each answer: `POST 201`, `POST 503 unavailable`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Whether anything was written while the fault lasted. */
  readonly wroteMeanwhile: boolean;
  /** The different answers of `/readyz` before the fault, and while it lasted. After it there was a 200. */
  readonly readiness: Readonly<Record<'before' | 'during', readonly number[]>>;
  /** How many connections the service had open at once at most. */
  readonly mostConnections: number;
  /** How many the server knows of in the end, and how many of them are left within a transaction. */
  readonly backends: number;
  readonly idleInTransaction: number;
}

/** How long there is load before the fault, and how long the fault lasts beyond its first effects. */
const SOME_TIME_MS = 500;

interface RoundOptions {
  /** Whether each animal is sent with an Idempotency-Key, again and again until it is acknowledged. */
  readonly retrying?: boolean;
}

/** Lets a fault happen to a service under load, and compares what it acknowledged with what is there. */
export const faultRound = (
  fault: Fault,
  random: () => number,
  { retrying = false }: RoundOptions = {},
): Promise<Outcome> =>
  onStage(fault.settings ?? {}, async (stage) => {
    const course = await fault.prepare(stage, random);
    const watched = watch(stage);
    const load = startLoad(stage, { retrying });
    try {
      const { struckMs, thereMs, mendingMs, mendedMs, wroteMeanwhile } = await happen(
        course,
        random,
        {
          isUnderLoad: () => load.seen.acknowledged.size > 0,
          isNoticed: (sinceMs) =>
            watched.readiness.some(({ askedMs }) => askedMs > sinceMs) &&
            (!fault.preventsWrites || load.seen.lastFailureSentMs > sinceMs),
          hasWritten: (sinceMs) => load.seen.lastSuccessSentMs > sinceMs,
        },
      );
      await until(() => load.seen.lastSuccessSentMs > mendedMs);
      const recoveryMs = performance.now() - mendedMs;
      await until(() => watched.readiness.at(-1)?.status === 200);
      await load.stop();
      await watched.stop();
      return {
        ...(await compare(stage, load.seen)),
        recoveryMs,
        fault,
        wroteMeanwhile,
        readiness: {
          before: statusesWithin(watched.readiness, 0, struckMs),
          during: statusesWithin(watched.readiness, thereMs, mendingMs),
        },
        mostConnections: watched.mostConnections(),
        ...(await leftBehind(course)),
      };
    } finally {
      load.abandon();
      await Promise.all([load.stop(), watched.stop()]);
      await course.remove?.();
    }
  });

interface Signs {
  isUnderLoad(): boolean;
  /** Whether the fault showed in answers to what was asked since then. */
  isNoticed(sinceMs: number): boolean;
  /** Whether an animal was acknowledged that was sent since then. */
  hasWritten(sinceMs: number): boolean;
}

/** Lets the fault come and go at moments of chance, and resolves with when that was. */
async function happen(course: Course, random: () => number, signs: Signs) {
  await until(signs.isUnderLoad);
  await sleep(random() * SOME_TIME_MS);
  const struckMs = performance.now();
  await course.strike();
  const thereMs = performance.now();
  await until(() => signs.isNoticed(thereMs));
  await sleep(random() * SOME_TIME_MS);
  const wroteMeanwhile = signs.hasWritten(thereMs);
  const mendingMs = performance.now();
  await course.mend();
  return { struckMs, thereMs, mendingMs, mendedMs: performance.now(), wroteMeanwhile };
}

async function compare(stage: Stage, seen: Seen) {
  const names = await readAll(stage);
  const lost = [...seen.acknowledged].filter(([name, id]) => names.get(id) !== name);
  const once = new Set<string>();
  const duplicates = [...names.values()].filter((name) => once.size === once.add(name).size);
  return {
    acknowledged: seen.acknowledged.size,
    lost: lost.map(([name]) => name),
    duplicates,
    unanswered: seen.unanswered,
    longestWaitMs: seen.longestWaitMs,
    statuses: Object.fromEntries([...seen.statuses].sort()),
  };
}

/** The different answers to what was asked and answered within a time. */
const statusesWithin = (readiness: readonly Readiness[], fromMs: number, toMs: number) => [
  ...new Set(
    readiness
      .filter(({ askedMs, answeredMs }) => askedMs > fromMs && answeredMs < toMs)
      .map(({ status }) => status),
  ),
];

/** How long a server may take to end what nobody asks for any more. */
const SETTLING_MS = 5_000;

async function leftBehind(course: Course) {
  const deadline = performance.now() + SETTLING_MS;
  const count = async (isSettled: (now: Awaited<ReturnType<typeof backendsOf>>) => boolean) => {
    for (;;) {
      const now = await backendsOf(course.survivor());
      if (isSettled(now) || performance.now() > deadline) return now;
      await sleep(20);
    }
  };
  const { inTransaction } = await count((now) => now.inTransaction === 0);
  course.reveal?.();
  const { all } = await count((now) => now.all <= CONNECTIONS);
  return { idleInTransaction: inTransaction, backends: all };
}
