/** Requests that add many animals, while the service is killed, or runs several times. */
import { expect, test } from 'bun:test';
import type { Pet } from '../../src/pets/pet.ts';
import { bearer, startService, until, workplace } from '../support/process.ts';

const CLIENTS = 4;
const SIZE = 150;

interface Service {
  readonly origin: string;
  readonly key: string;
}

/** Adds animals by one request. Resolves with the response, or undefined if there is none. */
async function addBatch({ origin, key }: Service, name: string) {
  const pets = Array.from({ length: SIZE }, (_, categoryId) => ({ name, categoryId }));
  try {
    const response = await fetch(`${origin}/v1/pet-batches`, {
      method: 'POST',
      headers: {
        ...bearer(key).headers,
        'Content-Type': 'application/json',
        'Idempotency-Key': name,
      },
      body: JSON.stringify({ pets }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  } catch {
    return undefined;
  }
}

/** All animals, by their name in the order of their ids. */
async function readAll({ origin, key }: Service): Promise<Map<string, Pet[]>> {
  const pets: Pet[] = [];
  let url: string | undefined = `${origin}/v1/pets?limit=100`;
  while (url !== undefined) {
    const response: Response = await fetch(url, bearer(key));
    pets.push(...((await response.json()) as Pet[]));
    url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return Map.groupBy(pets, ({ name }) => name);
}

test('batches are stored whole or not at all when the service is killed under load, and a retry completes each exactly once', async () => {
  using place = workplace();
  const sent: string[] = [];
  const acknowledged = new Map<string, string>();
  let key = '';
  for (let round = 1; round <= 2; round += 1) {
    await using running = await startService(place.database);
    key ||= running.firstKey ?? '';
    const service = { origin: running.origin, key };
    const before = acknowledged.size;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = 0; ; turn += 1) {
        const name = `round-${round}-client-${client}-turn-${turn}`;
        sent.push(name);
        const response = await addBatch(service, name);
        if (response === undefined) return;
        expect(response.status).toBe(201);
        acknowledged.set(name, response.text);
      }
    });
    await until(() => acknowledged.size - before >= 4 * round);
    running.signal('SIGKILL');
    await Promise.all(clients);
  }
  await using restarted = await startService(place.database);
  const service = { origin: restarted.origin, key };
  const stored = await readAll(service);
  for (const [name, pets] of stored) {
    expect(sent).toContain(name);
    expect(pets.map(({ categoryId }) => categoryId)).toEqual(
      Array.from({ length: SIZE }, (_, at) => at),
    );
  }
  for (const [name, text] of acknowledged)
    expect(stored.get(name)).toEqual(JSON.parse(text) as Pet[]);
  for (const name of sent) {
    const again = await addBatch(service, name);
    const isReplay = again?.headers.get('idempotency-replayed') === 'true';
    expect([again?.status, isReplay]).toEqual([201, stored.has(name)]);
    const pets = stored.get(name) ?? JSON.parse(again?.text ?? '');
    expect(again?.text).toBe(acknowledged.get(name) ?? JSON.stringify(pets));
  }
  expect([...(await readAll(service)).values()].map(({ length }) => length)).toEqual(
    sent.map(() => SIZE),
  );
}, 160_000);
