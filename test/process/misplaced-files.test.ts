/** A database whose files are removed or replaced under the service: no write is acknowledged that would be lost. */
import { expect, test } from 'bun:test';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import { postPet, startService, until, untilLogged, workplace } from '../support/process.ts';
import { childrenOf } from './children.ts';
import { getJson, getStatus } from './connection.ts';
import { logged } from './logged.ts';
import { namesIn } from './maintained.ts';

const REX = { name: 'Rex', categoryId: 1, status: 'available' };

const DAMAGE: Readonly<Record<string, (path: string) => void>> = {
  'a backup is moved over its file': (path) => renameSync(`${path}-backup`, path),
  'its -wal is removed': (path) => rmSync(`${path}-wal`),
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  test.concurrent(`when ${what}, the next write is refused, /readyz is 503, reads are refused soon, and the log says so once`, async () => {
    using place = workplace();
    const { database } = place;
    const key = await createKey(database);
    copyFileSync(database, `${database}-backup`);
    await using service = await startService(database);
    const { origin, stop } = service;
    expect((await postPet(origin, key, REX)).status).toBe(201);
    damage(database);
    const writes = await Promise.all([1, 2, 3].map(() => postPet(origin, key, REX)));
    expect(writes.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect((await fetch(`${origin}/readyz`)).status).toBe(503);
    await untilLogged(service, 'database_unavailable');
    for (const path of ['/pets', '/pets/1', '/api-keys/current'])
      expect(await getStatus(origin, key, path)).toBe(503);
    const { status, stdout } = await stop();
    expect(status).toBe(0);
    // A stop moves the changes of a -wal that is removed into the file.
    if (what === 'its -wal is removed') expect([...namesIn(database).values()]).toEqual(['Rex']);
    const reason = expect.stringMatching(/animals\.db(-wal)? was removed or replaced/);
    const lost = [{ 'animal_store.reason': reason }];
    expect(logged(stdout, 'database_unavailable')).toMatchObject(lost);
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
  const back = logged((await stop()).stdout, 'database_available');
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
