/** A slow request says what it waited for: a connection of the pool, the lock of a row, or the disk of the server. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { monotonicMs } from '../../../src/clock.ts';
import type { Database } from '../../../src/storage/database.ts';
import { LockWatch } from '../../../src/storage/postgres/transactions/lock-watch.ts';
import { type Waits, waitedSeconds } from '../../../src/waits.ts';
import { BY_TEST } from '../../support/cause.ts';
import { NO_WAITS } from '../../support/no-waits.ts';
import { until } from '../../support/process.ts';
import { rex } from '../animals.ts';
import { gate, openMigratedScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openMigratedScratch();
});
afterEach(() => scratch.remove());

const newWaits = (): Waits => ({ ...NO_WAITS });
const secondsOf = (waits: Waits) => waitedSeconds(waits, monotonicMs());

const rename = (database: Database, id: number, waits?: Waits) =>
  database.write(BY_TEST, ({ pets }) => pets.replace({ id, ...rex({ name: 'Max' }) }), { waits });

test('a write waits for the one connection of its pool', async () => {
  const database = await scratch.open({ connections: 2 });
  const { opened, open } = gate();
  const busy = database.write(BY_TEST, () => opened);
  const waits = newWaits();
  const waiting = rename(database, 1, waits);
  await Bun.sleep(40);
  expect(secondsOf({ ...waits }).connection).toBeGreaterThan(0.03);
  open();
  await Promise.all([busy, waiting]);
  expect(secondsOf(waits).connection).toBeGreaterThan(0.03);
  expect(secondsOf(waits).lock).toBeUndefined();
});

test('a write that gets no connection has waited for it until it failed', async () => {
  const database = await scratch.open({ connections: 2, timeoutMs: 300 });
  const { opened, open } = gate();
  const busy = database.write(BY_TEST, () => opened);
  const waits = newWaits();
  expect(await rename(database, 1, waits).catch(({ failure }) => failure)).toBe('unavailable');
  expect(waits.waitingFor).toBeUndefined();
  expect(secondsOf(waits).connection).toBeGreaterThan(0.03);
  open();
  await busy;
});

test('a write waits for the lock of a row, which the server tells while it waits', async () => {
  const database = await scratch.open();
  const { id } = await database.blind(BY_TEST).pets.create(rex());
  const holder = await scratch.sql.reserve();
  await holder`BEGIN`;
  await holder`SELECT 1 FROM animal_store.pets FOR UPDATE`;
  const waits = newWaits();
  const waiting = rename(database, Number(id), waits);
  await until(async () => waits.waitingFor === 'lock');
  expect(secondsOf({ ...waits }).lock).toBeGreaterThan(0.2);
  await holder`COMMIT`;
  holder.release();
  await waiting;
  expect(secondsOf(waits).lock).toBeGreaterThan(0.2);
  expect(secondsOf(waits).connection).toBeUndefined();
});

test('a statement that is slow for another reason waits for no lock', async () => {
  const asked: (readonly number[])[] = [];
  const watch = new LockWatch(async (pids) => {
    asked.push(pids);
    return [7];
  });
  const locked: number[] = [];
  const statement = (serverPid: number) => ({
    serverPid,
    sentMs: monotonicMs() - 1_000,
    onLocked: () => locked.push(serverPid),
  });
  const fast = { ...statement(9), sentMs: undefined };
  for (const one of [statement(7), statement(8), fast]) watch.add(one);
  await until(async () => asked.length > 0);
  await Bun.sleep(0);
  expect([asked[0], locked]).toEqual([[7, 8], [7]]);
});

/** Delays each COMMIT that changes animals, as a slow disk of the server does. */
const delayCommits = () =>
  scratch.sql.unsafe(`
    CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(0.05); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER delay AFTER INSERT OR UPDATE ON animal_store.pets
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION delay();`);

test('a write, and each addition of a batch, wait for the disk of the server', async () => {
  const database = await scratch.open();
  await delayCommits();
  const all = [newWaits(), newWaits()];
  const added = all.map(async (waits) => database.blind(BY_TEST, waits).pets.create(rex()));
  const [first] = await Promise.all(added);
  for (const waits of all) expect(secondsOf(waits).disk).toBeGreaterThan(0.03);
  const waits = newWaits();
  await rename(database, Number(first?.id), waits);
  expect(secondsOf(waits).disk).toBeGreaterThan(0.03);
  expect(secondsOf(waits).connection).toBeUndefined();
});

test('an addition waits for the connection that the batch before it uses', async () => {
  const database = await scratch.open();
  const add = (waits?: Waits) => database.blind(BY_TEST, waits).pets.create(rex());
  await add();
  await delayCommits();
  const waits = newWaits();
  const first = add();
  await until(async () => (await scratch.backends('Timeout')).length > 0);
  const second = add(waits);
  await Promise.all([first, second]);
  expect(secondsOf(waits)).toEqual({
    connection: expect.any(Number),
    disk: expect.any(Number),
  });
});
