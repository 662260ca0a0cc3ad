import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import { readAll } from './catalogue.ts';
import { CONNECTIONS, withEnvironment } from './environment.ts';
import type { Fault, PreparedFault } from './faults.ts';
import { type LoadOptions, type Results, startLoad } from './load.ts';
import { countBackends, type Readiness, startMonitor } from './monitor.ts';

export interface Outcome {
  readonly fault: Pick<Fault, 'preventsWrites' | 'preventsReadiness'>;
  /** The number of animals with a 201. */
  readonly acknowledged: number;
  /** Those that are missing afterwards, or have another id. */
  readonly lost: readonly string[];
  /** Names that are stored more than once, although sent once or with one Idempotency-Key. */
  readonly duplicates: readonly string[];
  readonly unanswered: readonly string[];
  readonly longestWaitMs: number;
  /** The time from the repair of the database to the first acknowledgement of an animal sent after it. Undefined: there was none, or the service did not become ready. */
  readonly recoveryMs: number | undefined;
  /** The number of responses by method and status: `POST 201`, `POST 503 unavailable`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Whether a write succeeded during the fault. */
  readonly wroteDuringFault: boolean;
  /** The distinct statuses of `/readyz` before and during the fault. After it there was a 200. */
  readonly readiness: Readonly<Record<'before' | 'during', readonly number[]>>;
  /** The maximum number of open connections of the service. */
  readonly maxConnections: number;
  /** The sessions on the server at the end, and those of them within a transaction. */
  readonly backends: number;
  readonly idleInTransaction: number;
}

/** The maximum time of load before the fault, and of the fault after its first effects. */
const MAX_PHASE_MS = 500;

/** Runs a fault on a service under load, and compares acknowledged with stored animals. */
export const faultRound = (
  fault: Fault,
  random: () => number,
  options: Partial<LoadOptions> = {},
): Promise<Outcome> =>
  withEnvironment(fault, async (environment) => {
    const prepared = await fault.prepare(environment, random);
    const monitor = startMonitor(environment);
    const load = startLoad(environment, options);
    try {
      const { beginMs, begunMs, repairMs, repairedMs, wroteDuringFault } = await runFault(
        prepared,
        random,
        {
          isUnderLoad: () => load.results.acknowledged.size > 0,
          isDetected: (sinceMs) =>
            monitor.readiness.some(({ sentMs }) => sentMs > sinceMs) &&
            (!fault.preventsWrites || load.results.lastFailureSentMs > sinceMs),
          hasWritten: (sinceMs) => load.results.lastSuccessSentMs > sinceMs,
        },
      );
      const recoveryMs = await recoveryOf(load.results, monitor.readiness, repairedMs);
      await load.stop();
      await monitor.stop();
      // A service that did not recover may not be able to read.
      const stored = recoveryMs === undefined ? undefined : await readAll(environment);
      return {
        ...compare(load.results, stored),
        recoveryMs,
        fault,
        wroteDuringFault,
        readiness: {
          before: statusesWithin(monitor.readiness, 0, beginMs),
          during: statusesWithin(monitor.readiness, begunMs, repairMs),
        },
        maxConnections: monitor.maxConnections(),
        ...(await countRemaining(prepared)),
      };
    } finally {
      load.stopRetries();
      await Promise.all([load.stop(), monitor.stop()]);
      await prepared.remove?.();
    }
  });

interface Signals {
  isUnderLoad(): boolean;
  /** Whether responses to requests since then show the fault. */
  isDetected(sinceMs: number): boolean;
  /** Whether an animal sent since then was acknowledged. */
  hasWritten(sinceMs: number): boolean;
}

/** Begins and repairs the fault at random times, and returns these times. */
async function runFault(fault: PreparedFault, random: () => number, signals: Signals) {
  await until(signals.isUnderLoad);
  await sleep(random() * MAX_PHASE_MS);
  const beginMs = performance.now();
  await fault.begin();
  const begunMs = performance.now();
  await until(() => signals.isDetected(begunMs));
  await sleep(random() * MAX_PHASE_MS);
  const wroteDuringFault = signals.hasWritten(begunMs);
  const repairMs = performance.now();
  await fault.repair();
  return { beginMs, begunMs, repairMs, repairedMs: performance.now(), wroteDuringFault };
}

async function recoveryOf(
  results: Results,
  readiness: readonly Readiness[],
  repairedMs: number,
): Promise<number | undefined> {
  try {
    await until(() => results.lastSuccessSentMs > repairedMs);
    const recoveryMs = performance.now() - repairedMs;
    await until(() => readiness.at(-1)?.status === 200);
    return recoveryMs;
  } catch {
    return undefined;
  }
}

/** @param stored the name of each stored animal by id. Undefined: unknown, and nothing is compared. */
function compare(results: Results, stored: ReadonlyMap<number, string> | undefined) {
  const isLost = ([name, id]: [string, number]) => stored !== undefined && stored.get(id) !== name;
  const lost = [...results.acknowledged].filter(isLost);
  const unique = new Set<string>();
  const names = [...(stored?.values() ?? [])];
  const duplicates = names.filter((name) => unique.size === unique.add(name).size);
  return {
    acknowledged: results.acknowledged.size,
    lost: lost.map(([name]) => name),
    duplicates,
    unanswered: results.unanswered,
    longestWaitMs: results.longestWaitMs,
    statuses: Object.fromEntries([...results.statuses].sort()),
  };
}

/** The distinct statuses of the checks within a time. */
const statusesWithin = (readiness: readonly Readiness[], fromMs: number, toMs: number) => [
  ...new Set(
    readiness
      .filter(({ sentMs, receivedMs }) => sentMs > fromMs && receivedMs < toMs)
      .map(({ status }) => status),
  ),
];

/** How long the server may take to end abandoned sessions. */
const SETTLING_MS = 5_000;

async function countRemaining(fault: PreparedFault) {
  const deadline = performance.now() + SETTLING_MS;
  const count = async (isSettled: (now: Awaited<ReturnType<typeof countBackends>>) => boolean) => {
    for (;;) {
      const now = await countBackends(fault.survivor());
      if (isSettled(now) || performance.now() > deadline) return now;
      await sleep(20);
    }
  };
  const { inTransaction } = await count((now) => now.inTransaction === 0);
  fault.closeDeadConnections?.();
  const { all } = await count((now) => now.all <= CONNECTIONS);
  return { idleInTransaction: inTransaction, backends: all };
}
