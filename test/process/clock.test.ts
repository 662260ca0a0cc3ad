/** Nobody is left alone with a wrong clock: the service says that it was set, or that it is earlier than the database. */
import { expect, test } from 'bun:test';
import type { Order } from '../../src/orders/order.ts';
import { createKey, createKeyByCommand } from '../support/create-key.ts';
import { scrape } from '../support/metrics.ts';
import { parseLog, post, postPet, startService, until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { canSetClock, startWithClock } from './clock.ts';
import { getJson, getStatus } from './connection.ts';
import { withFile } from './maintained.ts';

const place = useEach(workplace);

const METRICS = ['--metrics-port', '0'];
const DAY_S = 86_400;

const clockLines = (stdout: string) =>
  parseLog(stdout).filter((line) => String(line['event.name']).startsWith('clock_'));

test('a start of --workers 2 with a clock that is behind the database has one line and a metric', async () => {
  await createKey(place.database);
  withFile(place.database, (connection) =>
    connection.run('UPDATE api_keys SET created_at = created_at + 2 * 86400 * 1000'),
  );
  await using service = await startService(place.database, [...METRICS, '--workers', '2']);
  const { sum } = await scrape(service);
  const behind = sum('animal_store_clock_behind_seconds') ?? 0;
  expect(Math.abs(behind - 2 * DAY_S)).toBeLessThan(40);
  const lines = clockLines((await service.stop()).stdout);
  expect(lines).toMatchObject([{ level: 'warn', 'event.name': 'clock_behind' }]);
  expect(Number(lines[0]?.['animal_store.clock.behind'])).toBeGreaterThanOrEqual(behind);
});

test.skipIf(!canSetClock)(
  'a clock that is set ahead ends holds for good, and API keys until it is right, and each time has a line and is counted',
  async () => {
    const { setClock, ...clock } = await startWithClock(place, METRICS);
    await using service = clock.service;
    const { origin, firstKey: admin = '' } = service;
    const measured = async (metric: string) => (await scrape(service)).sum(metric);
    const jumps = () => measured('animal_store_clock_jumps_total');
    expect([await jumps(), await measured('animal_store_clock_behind_seconds')]).toEqual([0, 0]);
    const key = await createKeyByCommand(place.database, '--expires', '1d');
    await postPet(origin, admin, { name: 'Rex', categoryId: 1, status: 'available' });
    const placed = await post(origin, admin, '/store/orders', { petId: 1 });
    expect(await placed.json()).toMatchObject({ id: 1, status: 'placed' });
    const order = () => getJson<Order>(origin, admin, '/store/orders/1');
    const status = () => getStatus(origin, key, '/pets/1');
    expect(await status()).toBe(200);
    setClock(2 * DAY_S * 1_000);
    await until(async () => (await order()).status === 'expired');
    expect(await status()).toBe(401);
    await until(async () => (await jumps()) === 1);
    setClock(0);
    await until(async () => (await status()) === 200);
    const { status: after, expiresAt } = await order();
    expect([after, Date.parse(expiresAt ?? '') > Date.now()]).toEqual(['expired', true]);
    await until(async () => (await jumps()) === 2);
    const lines = clockLines((await service.stop()).stdout);
    const jumped = { level: 'warn', 'event.name': 'clock_jumped' };
    expect(lines).toMatchObject([jumped, jumped]);
    const days = lines.map((line) => Number(line['animal_store.clock.jump']) / DAY_S);
    expect(days.map(Math.round)).toEqual([2, -2]);
  },
);
