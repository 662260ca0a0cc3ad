import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailed } from '../failure.ts';
import { bearer, type RunningServer } from '../server.ts';
import { percentileOf, type Spread, spreadOf } from '../statistics.ts';

const READS_PER_SECOND = 200;

/** The latencies of one round, in milliseconds. */
export type Latencies = readonly number[];

/** The latencies of several rounds. The percentiles are those of all requests together. */
export interface Latency {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The 99th percentile of each round. */
  readonly p99MsByRound: Spread;
}

export function latencyOf(rounds: readonly Latencies[]): Latency {
  const all = rounds.flat();
  return {
    requests: all.length,
    p50Ms: percentileOf(all, 0.5),
    p99Ms: percentileOf(all, 0.99),
    p99MsByRound: spreadOf(rounds.map((round) => percentileOf(round, 0.99))),
  };
}

/** Sends the requests of `nextPath` one after the other until the time is over. The last one may take longer. */
export async function requestInTurn(
  server: RunningServer,
  seconds: number,
  nextPath: () => string,
): Promise<Latencies> {
  const latencies: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  for (let startedMs = performance.now(); startedMs < endMs; startedMs = performance.now()) {
    await get(server, nextPath());
    latencies.push(performance.now() - startedMs);
  }
  return latencies;
}

/**
 * Reads single animals at a steady pace until `until` resolves, whether or not the responses have arrived. The latency
 * counts from the time at which a request was due.
 */
export async function readSteadily(
  server: RunningServer,
  nextId: () => number,
  until: Promise<unknown>,
): Promise<Latencies> {
  const latencies: number[] = [];
  const sent: Promise<void>[] = [];
  const startedMs = performance.now();
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  until.then(over, over);
  while (!isOver) {
    const dueMs = startedMs + (sent.length * 1_000) / READS_PER_SECOND;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const path = server.paths.oneAnimal.replace('@', String(nextId()));
    const request = get(server, path).then(() => void latencies.push(performance.now() - dueMs));
    // A failure is thrown at the end.
    request.catch(() => {});
    sent.push(request);
  }
  await Promise.all(sent);
  return latencies;
}

async function get({ origin, key }: RunningServer, path: string): Promise<void> {
  const response = await fetch(origin + path, { headers: bearer(key) });
  const body = await response.text();
  if (response.status !== 200) {
    throw new BenchFailed(`GET ${path} returned ${response.status}: ${body.slice(0, 200)}`);
  }
}
