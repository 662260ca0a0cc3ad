/** The number of keys whose requests are counted is limited. */
import { expect, test } from 'bun:test';
import { limitRequests } from '../../../src/http/middleware/rate-limit.ts';
import { createContext } from '../../../src/http/request/context.ts';

test('of more keys than are counted, the one whose window began first starts again', async () => {
  const MAX_KEYS = 100_000;
  let now = 0;
  const limit = limitRequests({ quota: 9, windowSeconds: 60 }, { monotonicMs: () => now });
  const request = new Request('http://127.0.0.1/v1/pets');
  const context = createContext(request, 0, () => 'a');
  const send = async (keyId: number) => {
    const principal = { keyId, scopes: new Set<string>(), expiresAtMs: Number.POSITIVE_INFINITY };
    const { headers } = await limit(request, { ...context, principal }, () => new Response());
    return headers.get('ratelimit');
  };
  await send(1);
  now = 1_000;
  await send(2);
  now = 60_000.1; // Without rounding, this and a minute are more than a minute apart.
  await send(1); // A new window
  for (let keyId = 3; keyId <= MAX_KEYS + 1; keyId += 1) await send(keyId);
  expect(await send(1)).toBe('"default";r=7;t=60');
  expect(await send(2)).toBe('"default";r=8;t=60');
});
