import type { Known } from './requests.ts';

/** Adds keys, animals and an order, and collects values that requests can use again. */
export async function prepare(origin: string, key: string): Promise<Known> {
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${origin}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const one = await send('POST', '/api-keys', { name: 'one', scopes: ['pets:read'] });
  const { key: secret } = (await one.json()) as { key: string };
  // The fuzzer revokes keys, but none whose id has one digit.
  for (let count = 0; count < 10; count += 1) await send('POST', '/api-keys', { name: 'other' });
  const pets = Array.from({ length: 30 }, (_, id) => ({
    name: `Rex ${id}`,
    categoryId: id % 3,
    status: 'available',
  }));
  await send('POST', '/pet-batches', { pets });
  await send('POST', '/store/orders', { petId: 1 });
  const page = await send('GET', '/pets?limit=5');
  const single = await send('GET', '/pets?id=2');
  const events = (await (await send('GET', '/events?limit=1')).json()) as { id: string }[];
  const link = page.headers.get('link') ?? '';
  return {
    keys: [key, secret],
    etag: single.headers.get('etag') ?? '',
    cursor: /cursor=([^&>]+)/.exec(link)?.[1] ?? '',
    event: events[0]?.id ?? '',
  };
}
