/**
 * A client that behaves well: it reads and adds animals on one connection, one request every 20 ms, until standard input ends.
 * Then it prints the percentiles of its waiting times in milliseconds: `bun steady-client.ts ORIGIN KEY`.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 20;

/** What the client prints. */
export interface Steady {
  readonly requests: number;
  readonly failures: readonly string[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const [, , origin = '', key = ''] = process.argv;
const REQUESTS = [
  { method: 'GET', path: '/pets?limit=20' },
  { method: 'POST', path: '/pets', body: '{"name":"Steady","categoryId":1}' },
  { method: 'GET', path: '/pets/1' },
];

let isOver = false;
new Response(Bun.stdin.stream()).text().then(() => {
  isOver = true;
});
const waits: number[] = [];
const failures: string[] = [];
while (!isOver) {
  const { path, ...request } = REQUESTS[waits.length % REQUESTS.length] ?? { path: '' };
  const startMs = performance.now();
  try {
    const response = await fetch(`${origin}/v1${path}`, {
      ...request,
      headers: { Authorization: `Bearer ${key}` },
    });
    await response.text();
    // The fuzzer may delete the animal.
    if (response.status !== 404 && !response.ok) failures.push(`${path}: ${response.status}`);
  } catch (error) {
    failures.push(`${path}: ${error}`);
  }
  waits.push(performance.now() - startMs);
  await sleep(PAUSE_MS);
}
waits.sort((a, b) => a - b);
const at = (share: number): number => waits[Math.ceil(share * waits.length) - 1] ?? 0;
const steady: Steady = {
  requests: waits.length,
  failures: failures.slice(0, 5),
  p50Ms: at(0.5),
  p99Ms: at(0.99),
  maxMs: at(1),
};
process.stdout.write(JSON.stringify(steady));
process.exit();
