import { afterAll, expect, test } from 'bun:test';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { readAll, rex } from '../animals.ts';

const open: { remove(): Promise<void> }[] = [];
const opened = <Server extends PostgresServer>(server: Server): Server => {
  open.push(server);
  return server;
};
afterAll(async () => {
  for (const server of open.toReversed()) await server.remove();
});

test('reads do not use a standby that did not follow a promotion, at any WAL position', async () => {
  const primary = opened(await startPostgres());
  const name = await primary.createDatabase();
  const first = await openPostgres(primary.url(name));
  const promoted = opened(await primary.startStandby({ name: 'one' }));
  const other = opened(await primary.startStandby({ name: 'two' }));
  await promoted.catchUp();
  await promoted.stop();
  for (let count = 0; count < 50; count += 1) {
    await first.write(BY_TEST, ({ pets }) => pets.create(rex({ name: 'lost' })));
  }
  await other.catchUp();
  await first.close();
  await primary.kill();
  await promoted.restart();
  await promoted.promote();
  const database = await openPostgres(promoted.url(name), { standbyUrls: [other.url(name)] });
  try {
    const pet = await database.write(BY_TEST, ({ pets }) => pets.create(rex({ name: 'stored' })));
    for (let time = 0; time < 10; time += 1) {
      expect(await database.read.pets.get(pet.id)).toEqual(pet);
      expect(await readAll(database)).toEqual([pet]);
    }
  } finally {
    await database.close();
  }
});
