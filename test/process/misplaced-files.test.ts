/** A database whose files are removed or replaced under the service: no write is acknowledged that would be lost. */
import { expect, test } from 'bun:test';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import {
  bearer,
  parseLog,
  postPet,
  startService,
  until,
  untilLogged,
  type Workplace,
  workplace,
} from '../support/process.ts';
import { childrenOf } from './children.ts';
import { getJson } from './connection.ts';
import { namesIn } from './maintained.ts';

const REX = { name: 'Rex', categoryId: 1, status: 'available' };

const DAMAGE: Readonly<Record<string, (place: Workplace) => void>> = {
  'a backup is moved over its file': ({ database, file }) =>
    renameSync(file('backup.db'), database),
  'its -wal is removed': ({ database }) => rmSync(`${database}-wal`),
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  test.concurrent(`when ${what}, the next write is refused, /readyz is 503, reads are refused soon, and the log says so once`, async () => {
    using place = workplace();
    const { database, file } = place;
    const key = await createKey(database);
    copyFileSync(database, file('backup.db'));
    await using service = await startService(database);
    const { origin, stop } = service;
    expect((await postPet(origin, key, REX)).status).toBe(201);
    damage(place);
    const writes = await Promise.all([1, 2, 3].map(() => postPet(origin, key, REX)));
    expect(writes.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect((await fetch(`${origin}/readyz`)).status).toBe(503);
    await untilLogged(service, 'database_unavailable');
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/api-keys/current']) {
      expect((await fetch(origin + path, bearer(key))).status).toBe(503);
    }
    const { status, stdout } = await stop();
    expect(status).toBe(0);
    // A stop moves the changes of a -wal that is removed into the file.
    if (what === 'its -wal is removed') expect([...namesIn(database).values()]).toEqual(['Rex']);
    const lost = parseLog(stdout).filter((line) => line['event.name'] === 'database_unavailable');
    expect(lost).toMatchObject([
      {
        'animal_store.reason': expect.stringMatching(/animals\.db(-wal)? was removed or replaced/),
      },
    ]);
  });
}

test.concurrent('a file that is moved away and back is used again, with everything that was acknowledged', async () => {
  using place = workplace();
  const { database, file } = place;
  const key = await createKey(database);
  await using service = await startService(database);
  const { origin, stop } = service;
  expect((await postPet(origin, key, REX)).status).toBe(201);
  renameSync(database, file('away.db'));
  expect((await postPet(origin, key, { ...REX, name: 'Tom' })).status).toBe(503);
  await untilLogged(service, 'database_unavailable');
  renameSync(file('away.db'), database);
  await untilLogged(service, 'database_available');
  expect((await postPet(origin, key, { ...REX, name: 'Kit' })).status).toBe(201);
  expect(await getJson<object[]>(origin, key, '/pets')).toMatchObject([REX, { name: 'Kit' }]);
  const events = parseLog((await stop()).stdout);
  const back = events.filter((line) => line['event.name'] === 'database_available');
  expect(back).toMatchObject([{ 'animal_store.request.failed_count': 1 }]);
});

test.concurrent('when the file is removed under workers, neither a replaced worker nor the stop creates an empty database', async () => {
  using place = workplace();
  const { database } = place;
  await createKey(database);
  await using service = await startService(database, ['--workers', '2']);
  rmSync(database);
  process.kill(childrenOf(service.pid)[0] ?? 0, 'SIGKILL');
  await until(() => service.stderr().includes('There is no database at'));
  expect((await service.stop()).status).toBe(0);
  expect(existsSync(database)).toBe(false);
});
