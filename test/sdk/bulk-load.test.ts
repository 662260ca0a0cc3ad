/** The loader of docs/bulk-load.md: what it prints, and that failures neither double nor lose an animal. */
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test';
import { AnimalStore, renderJson } from '../../sdk/src/index.ts';
import {
  killAfterEachRequest,
  projectOf,
  startInterruptingProxy,
} from '../support/guide-program.ts';
import {
  type RunningService,
  startService,
  TEST_LIMIT_MS,
  type Workplace,
  withService,
  workplace,
} from '../support/process.ts';

const proxy = startInterruptingProxy();
afterAll(() => proxy.close());

let place: Workplace;
let loader: Awaited<ReturnType<typeof projectOf>>;
let service: RunningService;
let key: string;
beforeEach(async () => {
  place = workplace();
  loader = await projectOf('bulk-load', 'load');
  service = await startService(place.database);
  key = service.firstKey ?? '';
  proxy.forwardTo(service.origin);
});
afterEach(async () => {
  await withService(service, async () => {});
  loader.remove();
  place.remove();
});

const NAMES = Array.from({ length: 2_500 }, (_, index) => `animal ${index}`);
const writeFile = () => {
  const lines = NAMES.map((name) => renderJson({ name, categoryId: 2n ** 63n - 1n }));
  return Bun.write(loader.file('animals.ndjson'), `${lines.join('\n')}\n`);
};
/** Each animal of the file once, in its order, is all that the service has. */
const expectLoaded = async () => {
  const store = new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: key });
  const animals = await store.pets.list({ limit: 100 }).toArray();
  expect(animals.map(({ name }) => name)).toEqual(NAMES);
  expect(animals[0]?.categoryId).toBe(2n ** 63n - 1n);
};
const direct = () => ({ origin: service.origin, key });
const start = () => loader.start({ origin: proxy.origin, key }, 'animals.ndjson');

test('the commands print what the page shows', () => loader.expectShown(direct()), TEST_LIMIT_MS);

test(
  'a loader that is killed after each of its requests doubles no animal, and loses none',
  async () => {
    await writeFile();
    // Each later run first repeats the request that was interrupted.
    const kills = await killAfterEachRequest(proxy, start, (killed) => (killed === 0 ? 1 : 2));
    expect(kills).toBe(3);
    await expectLoaded();
  },
  TEST_LIMIT_MS,
);

test(
  'a service that is killed after each request doubles no animal, and loses none',
  async () => {
    await writeFile();
    let kills = 0;
    proxy.watch(async (number) => {
      // The loader repeats each of its three requests.
      if (number % 2 === 0) return;
      service.signal('SIGKILL');
      await service.ended();
      service = await startService(place.database);
      proxy.forwardTo(service.origin);
      kills += 1;
      throw new Error('The response is lost.');
    });
    const run = start();
    await run.exited;
    expect([run.exitCode, kills]).toEqual([0, 3]);
    await expectLoaded();
  },
  TEST_LIMIT_MS,
);

test(
  'a load that is resumed after its keys have ended stops before it doubles an animal',
  async () => {
    await writeFile();
    const progress = { key: 'old', count: 1_000, time: Date.now() - 24 * 3_600_000 };
    await Bun.write(loader.file('animals.ndjson.progress'), JSON.stringify(progress));
    const { status, stderr } = await loader.run(direct(), 'animals.ndjson');
    expect([status, stderr]).toEqual([1, expect.stringContaining('Too late: compare')]);
  },
  TEST_LIMIT_MS,
);
