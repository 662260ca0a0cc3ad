/** Loads of any size: their parts, and that nothing is created twice. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { partsOf } from '../../sdk/src/bulk.ts';
import { AnimalStore, type BulkProgress, type NewPet, type Pet } from '../../sdk/src/index.ts';
import { renderJson } from '../../sdk/src/int64.ts';
import { listen } from '../support/socket.ts';
import { useShared } from '../support/use-each.ts';

const service = useShared(() => listen());

const connect = (fetcher: typeof fetch = fetch) =>
  new AnimalStore({
    baseUrl: `${service.origin}/v1`,
    apiKey: service.key,
    maxRetries: 0,
    fetch: (url, init) => fetcher(url, init),
  });

let loads = 0;
/** Animals of a category that no other test has. */
const animals = (count: number) => {
  const categoryId = ++loads;
  return Array.from({ length: count }, (_, index) => ({ name: `animal ${index}`, categoryId }));
};
const stored = async (categoryId: number) => (await connect().inventory.get({ categoryId })).unset;

describe('the parts', () => {
  test('have at most 1,000 animals and 1 MiB, and are as large as possible', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 });
    const source = fc.array(fc.record({ name, repeated: fc.nat(1_500) }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(source, async (kinds) => {
        const pets = kinds.flatMap(({ name, repeated }) =>
          Array.from({ length: repeated }, (): NewPet => ({ name, categoryId: 2n ** 62n })),
        );
        const parts = await Array.fromAsync(partsOf(pets));
        expect(parts.flatMap(({ items }) => items)).toEqual(pets);
        const bytes = (items: readonly NewPet[]) => Buffer.byteLength(renderJson({ pets: items }));
        let offset = 0;
        for (const part of parts) {
          expect(part.offset).toBe(offset);
          offset += part.items.length;
          expect(bytes(part.items)).toBeLessThanOrEqual(1_048_576);
          const next = pets[offset];
          const isFull =
            part.items.length === 1_000 || !next || bytes([...part.items, next]) > 1_048_576;
          expect(isFull).toBeTrue();
        }
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    [1_048_576, [2]],
    [1_048_577, [1, 1]],
  ])('of a body of %d bytes have %p animals', async (bytes, sizes) => {
    const empty = { name: '', categoryId: 1 };
    const frame = renderJson({ pets: [empty, empty] });
    const first = { ...empty, name: 'x'.repeat(bytes - frame.length - 1) };
    const pets = [first, { ...empty, name: 'x' }];
    expect(Buffer.byteLength(renderJson({ pets }))).toBe(bytes);
    expect((await Array.fromAsync(partsOf(pets))).map(({ items }) => items.length)).toEqual(sizes);
  });

  test('of a large animal are one animal, which the service refuses', async () => {
    const pet = { name: 'x'.repeat(2 ** 20), categoryId: 1 };
    expect((await Array.fromAsync(partsOf([pet, pet]))).map(({ items }) => items.length)).toEqual([
      1, 1,
    ]);
    await expect(connect().pets.bulkCreate([pet])).rejects.toMatchObject({
      status: 413,
      offset: 0,
    });
  });

  test('of the largest bodies are accepted by the service', async () => {
    const categoryId = ++loads;
    // A name of four bytes per character: about 970 animals per MiB.
    const pets = Array.from({ length: 1_100 }, () => ({ name: '🐾'.repeat(255), categoryId }));
    expect(await connect().pets.bulkCreate(pets)).toBe(1_100);
    expect(await stored(categoryId)).toBe(1_100);
  });
});

describe('a load', () => {
  test('takes arrays, iterables and streams, and reports its progress', async () => {
    const pets = animals(1_100);
    const sources = [
      pets,
      new Set(pets),
      (async function* () {
        yield* pets;
      })(),
      new ReadableStream<NewPet>({
        start(controller) {
          for (const pet of pets) controller.enqueue(pet);
          controller.close();
        },
      }),
    ];
    for (const source of sources) {
      const seen: [number, number, boolean][] = [];
      const onProgress = async ({ created, count, replayed }: BulkProgress<Pet>) => {
        await Bun.sleep(1);
        seen.push([created.length, count, replayed]);
      };
      expect(await connect().pets.bulkCreate(source, { onProgress })).toBe(1_100);
      expect(seen).toEqual([
        [1_000, 1_000, false],
        [100, 1_100, false],
      ]);
    }
    expect(await stored(loads)).toBe(4 * 1_100);
    expect(await connect().pets.bulkCreate([])).toBe(0);
  });

  test('that is interrupted anywhere creates nothing twice when it runs again', async () => {
    for (const lost of [0, 1, 2]) {
      const pets = animals(2_100);
      let sent = 0;
      const cut = connect((async (url, init) => {
        const response = await fetch(url, init);
        if (sent++ === lost) throw new Error('The response is lost.');
        return response;
      }) as typeof fetch);
      const idempotencyKey = `load-${loads}`;
      const failure = await cut.pets.bulkCreate(pets, { idempotencyKey }).catch((error) => error);
      expect(failure).toMatchObject({
        name: 'ConnectionError',
        offset: lost * 1_000,
        outcomeUnknown: true,
      });
      const replayed: boolean[] = [];
      const onProgress = (it: BulkProgress<Pet>) => replayed.push(it.replayed);
      const options = { idempotencyKey, onProgress };
      expect(await connect().pets.bulkCreate(pets, options)).toBe(2_100);
      expect(replayed).toEqual([0, 1, 2].map((part) => part <= lost));
      expect(await stored(loads)).toBe(2_100);
      const rest = { ...options, from: failure.offset };
      expect(await connect().pets.bulkCreate(pets, rest)).toBe(2_100);
      expect(await stored(loads)).toBe(2_100);
    }
  });

  test('from a count that none has reported sends nothing, because it could double animals', async () => {
    const pets = animals(2_100);
    for (const from of [Number.NaN, -1, 1, 1_500, 2_099, 2_101]) {
      const refused = connect().pets.bulkCreate(pets, { from });
      await expect(refused).rejects.toThrow(`from: No part of this source begins at ${from}.`);
    }
    expect(await stored(loads)).toBe(0);
    for (const from of [2_100, 2_000, 1_000])
      expect(await connect().pets.bulkCreate(pets, { from })).toBe(2_100);
    expect(await stored(loads)).toBe(1_200);
  });

  test('with another source under the same key is refused', async () => {
    const pets = animals(1_001);
    const idempotencyKey = `load-${loads}`;
    await connect().pets.bulkCreate(pets, { idempotencyKey });
    const other = [{ name: 'Rex', categoryId: loads }, ...pets];
    const refused = connect().pets.bulkCreate(other, { idempotencyKey });
    await expect(refused).rejects.toMatchObject({ code: 'idempotency_key_reused', offset: 0 });
    expect(await stored(loads)).toBe(1_001);
  });

  test('stops at an invalid animal, and says where', async () => {
    const pets: NewPet[] = [...animals(1_500), { name: '', categoryId: 1 }];
    let isClosed = false;
    const source = function* () {
      try {
        yield* pets;
      } finally {
        isClosed = true;
      }
    };
    const load = connect().pets.bulkCreate(source());
    const failure = await load.catch((error) => error);
    expect(failure).toMatchObject({ code: 'validation_failed', offset: 1_000 });
    expect(failure.fields[0].path).toEqual(['pets', 500, 'name']);
    expect(isClosed).toBeTrue();
    expect(await stored(loads)).toBe(1_000);
  });

  test('ends with its signal', async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort('enough') };
    const load = connect().pets.bulkCreate(animals(1_100), options);
    await expect(load).rejects.toBe('enough');
    expect(await stored(loads)).toBe(1_000);
  });

  test('ends at once with its signal although its source waits, and closes the source', async () => {
    for (const early of [true, false]) {
      const controller = new AbortController();
      if (early) controller.abort('enough');
      const next = () => new Promise<never>(() => {});
      let closed = 0;
      const close = async () => ({ done: true as const, value: closed++ });
      const source = { [Symbol.asyncIterator]: () => ({ next, return: close }) };
      const load = connect().pets.bulkCreate(source, { signal: controller.signal });
      controller.abort('enough');
      expect(await load.catch((reason) => reason)).toBe('enough');
      expect(closed).toBe(1);
    }
  });
});
