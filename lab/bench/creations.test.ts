import { expect, test } from 'bun:test';
import { until } from '../../test/support/process.ts';
import { withWorkspace } from './workspace.ts';
import { startWrk } from './wrk.ts';

/** At least so many animals that the load generator sends to a server that accepts all. */
async function sentAnimals(count: number): Promise<Record<string, unknown>[]> {
  const sent: Record<string, unknown>[] = [];
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      sent.push((await request.json()) as Record<string, unknown>);
      return new Response(null, { status: 201 });
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const load = { script: 'create', args: ['/pets', '7'], url, key: 'key' };
  await withWorkspace(async (workspace) => {
    const { stop } = startWrk(workspace, { ...load, connections: 1, seconds: 30 });
    await until(() => sent.length >= count);
    await stop();
  });
  return sent;
}

test.skipIf(Bun.which('wrk') === null)(
  'creations have names of their own, and in turn all of 50 categories with each status and without one',
  async () => {
    const sent = await sentAnimals(200);
    const inTurn = sent.slice(0, 200).map(({ categoryId, status }) => `${categoryId} ${status}`);
    const expected = ['available', 'pending', 'sold', undefined].flatMap((status) =>
      Array.from({ length: 50 }, (_, index) => `${index + 1} ${status}`),
    );
    expect(inTurn.sort()).toEqual(expected.sort());
    expect(new Set(sent.slice(0, 32).map(({ categoryId }) => categoryId)).size).toBe(32);
    expect(new Set(sent.map(({ name }) => name)).size).toBe(sent.length);
  },
);
