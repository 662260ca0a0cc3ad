import { expect, test } from 'bun:test';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { readAll, rex } from '../animals.ts';

const open: { remove(): Promise<void> }[] = [];
async function withServers(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    for (const server of open.splice(0).reverse()) await server.remove();
  }
}
const opened = <Server extends PostgresServer>(server: Server): Server => {
  open.push(server);
  return server;
};

test('reads do not use a standby that did not follow a promotion, at any WAL position', () =>
  withServers(async () => {
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
  }));

test('reads do not use a different server or database as a standby', () =>
  withServers(async () => {
    const primary = opened(await startPostgres());
    const name = await primary.createDatabase();
    const otherName = await primary.createDatabase();
    const standby = opened(await primary.startStandby({ name: 'one' }));
    for (const url of [standby.url(otherName), primary.url(otherName)]) {
      const database = await openPostgres(primary.url(name), { standbyUrls: [url] });
      const other = await openPostgres(primary.url(otherName));
      try {
        await other.write(BY_TEST, ({ pets }) => pets.create(rex({ name: 'other' })));
        await standby.catchUp();
        expect(await readAll(database)).toEqual([]);
      } finally {
        await database.close();
        await other.close();
      }
    }
  }));
