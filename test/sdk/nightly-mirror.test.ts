/** The program of docs/nightly-mirror.md: what it prints, and that its copy is the whole catalogue, or that of the last run. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { AnimalStore } from '../../sdk/src/index.ts';
import {
  killAfterEachRequest,
  projectOf,
  startInterruptingProxy,
} from '../support/guide-program.ts';
import { TEST_LIMIT_MS } from '../support/process.ts';
import { listen, type SocketService } from '../support/socket.ts';

const proxy = startInterruptingProxy();
let service: SocketService;
let mirror: Awaited<ReturnType<typeof projectOf>>;
beforeAll(async () => {
  service = await listen();
  proxy.forwardTo(service.origin);
  mirror = await projectOf('nightly-mirror', 'mirror');
});
afterAll(async () => {
  await proxy.close();
  await service.close();
  mirror.remove();
});

const connect = () =>
  new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.key, int64: 'string' });
const readCopy = () =>
  readFileSync(mirror.file('copy.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const start = () => mirror.start({ origin: proxy.origin, key: service.key }, 'copy.ndjson');

test('the commands print what the page shows', () => mirror.expectShown(service), TEST_LIMIT_MS);

test(
  'a copy is the catalogue, and a run that is killed leaves the last copy',
  async () => {
    const store = connect();
    expect((await mirror.run(service, 'copy.ndjson')).status).toBe(0);
    const first = readCopy();
    expect(first).toEqual(await store.pets.list().toArray());

    await store.pets.delete(7);
    await store.pets.update(8, { name: 'Hai "🦈"', status: 'sold', categoryId: -(2n ** 63n) });
    await store.pets.create({ name: 'Neu', categoryId: 0 });
    const kills = await killAfterEachRequest(proxy, (killed) => {
      expect([killed, readCopy()]).toEqual([killed, first]);
      return start();
    });
    expect(kills).toBe(3);
    expect(readCopy()).toEqual(await store.pets.list().toArray());
  },
  TEST_LIMIT_MS,
);

test('an unchanged catalogue is read without a body', async () => {
  proxy.watch(() => {});
  const through = { origin: proxy.origin, key: service.key };
  const { stdout } = await mirror.run(through, 'copy.ndjson');
  expect(stdout).toBe('250 animals, 3 pages, 0 of them changed\n');
});
