/** PostgreSQL that fails over: Patroni, etcd and HAProxy of Debian, with the files of deploy/high-availability. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, MISSING, startCluster } from './high-availability.ts';

const WRITERS = 16;
const ROUNDS = 2;
/** The load before and after each failure. */
const LOAD_MS = 10_000;
const NEEDED = MISSING.length === 0 ? '' : ` (not installed: ${MISSING.join(', ')})`;

interface Counts {
  readonly acknowledged: Map<string, number>;
  failed: number;
  read: number;
  stale: number;
  lastSuccessMs: number;
  longestPauseMs: number;
}

test.skipIf(MISSING.length > 0)(
  `the primary is killed twice under ${WRITERS} writers, and no acknowledged animal is lost${NEEDED}`,
  async () => {
    const cluster = await startCluster();
    try {
      const headers = {
        Authorization: `Bearer ${cluster.key}`,
        'Content-Type': 'application/json',
      };
      const counts: Counts = {
        acknowledged: new Map(),
        failed: 0,
        read: 0,
        stale: 0,
        lastSuccessMs: performance.now(),
        longestPauseMs: 0,
      };
      let isStopped = false;
      const write = async (writer: number) => {
        for (let count = 0; !isStopped; count += 1) {
          const name = `animal ${writer}-${count}`;
          const body = JSON.stringify({ name, categoryId: writer });
          const response = await fetch(`${cluster.origin}/v1/pets`, {
            method: 'POST',
            headers,
            body,
          }).catch(() => undefined);
          if (response?.status !== 201) {
            await response?.text();
            counts.failed += 1;
            await sleep(50);
            continue;
          }
          const { id } = (await response.json()) as { id: number };
          counts.acknowledged.set(name, id);
          const now = performance.now();
          counts.longestPauseMs = Math.max(counts.longestPauseMs, now - counts.lastSuccessMs);
          counts.lastSuccessMs = now;
          // The other instance, and whichever standby it chooses, must show what was acknowledged.
          const other = cluster.instances[count % cluster.instances.length];
          const found = await fetch(`${other}/v1/pets?id=${id}`, { headers }).catch(
            () => undefined,
          );
          const animals = (await found?.json()) as unknown[];
          if (found?.status !== 200) continue;
          counts.read += 1;
          if (animals.length !== 1) counts.stale += 1;
        }
      };
      const writers = Array.from({ length: WRITERS }, (_value, writer) => write(writer));
      const pauses: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await sleep(LOAD_MS);
        counts.longestPauseMs = 0;
        const killed = await cluster.primary();
        const before = counts.acknowledged.size;
        cluster.kill(killed);
        await eventually('additions', async () =>
          counts.acknowledged.size > before + 10 * WRITERS ? true : undefined,
        );
        expect((await cluster.primary()) === killed).toBe(false);
        pauses.push(Math.round(counts.longestPauseMs / 100) / 10);
        await sleep(LOAD_MS);
        cluster.start(killed);
        await cluster.whole();
      }
      isStopped = true;
      await Promise.all(writers);
      const found = await readAll(cluster.origin, headers);
      const lost = [...counts.acknowledged].filter(([name, id]) => found.get(id) !== name);
      console.log(
        `${counts.acknowledged.size} acknowledged, ${lost.length} lost, ${counts.stale} of ${counts.read} reads stale, ${counts.failed} failed requests, seconds without additions: ${pauses.join(', ')}`,
      );
      expect({ lost, stale: counts.stale }).toEqual({ lost: [], stale: 0 });
      expect(counts.read).toBeGreaterThan(counts.acknowledged.size / 2);
    } finally {
      await cluster.remove();
    }
  },
);

/** Reads all animals page by page. */
async function readAll(origin: string, headers: Record<string, string>) {
  const found = new Map<number, string>();
  let path: string | undefined = '/v1/pets?limit=100';
  while (path !== undefined) {
    const response: Response = await fetch(origin + path, { headers });
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    for (const { id, name } of (await response.json()) as { id: number; name: string }[]) {
      found.set(id, name);
    }
    const next = /<[^>]*(\/v1\/pets\?[^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '');
    path = next?.[1];
  }
  return found;
}
