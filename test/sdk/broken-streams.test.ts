/** A stream of the real service through connections that break. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { FeedEvent } from '../../sdk/src/index.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { streamClient } from './stream-client.ts';

let service: SocketService;
let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
beforeAll(async () => {
  service = await listen();
  proxy = await startFaultyProxy(Number(new URL(service.origin).port));
});
afterAll(async () => {
  await proxy.close();
  await service.close();
});

test('a connection that breaks after any byte loses and repeats nothing', async () => {
  const pets = Array.from({ length: 60 }, (_value, index) => ({
    name: `Fisch ${'🦈'.repeat(index % 5)} ${index}`,
    categoryId: `${2n ** 63n - 1n}`,
  }));
  const { events } = streamClient(`${proxy.origin}/v1`, { apiKey: service.key });
  const from = (await events.list({ sort: '-id' }).toArray({ limit: 1 }))[0]?.id;
  await fetch(`${service.origin}/v1/pet-batches`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ pets }).replaceAll(/"(\d{19})"/g, '$1'),
  });
  const expected = await events.list({ after: from, limit: 100 }).toArray();
  // Each connection breaks 1 to 700 bytes after its head: an event has about 300.
  const faults = Array.from({ length: 100 }, (_value, index) => ({
    kind: 'cut stream',
    bytes: 1 + ((index * 97) % 700),
  }));
  await fetch(`${proxy.origin}/faults`, { method: 'POST', body: JSON.stringify(faults) });
  const followed: FeedEvent[] = [];
  for await (const one of events.stream({ after: from }))
    if (followed.push(one) === expected.length) break;
  expect(followed).toEqual(expected);
  expect(followed[0]?.data).toMatchObject({ categoryId: 2n ** 63n - 1n });
  const seen = (await (await fetch(`${proxy.origin}/seen`)).json()) as unknown[];
  expect(seen.length).toBeGreaterThan(20);
});
