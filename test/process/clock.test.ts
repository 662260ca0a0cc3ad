/** Nobody is left alone with a wrong clock: the service says that it was set, or that it is earlier than the database. */
import { Database as Sqlite } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { createKey, createKeyByCommand } from '../support/create-key.ts';
import { scrape } from '../support/metrics.ts';
import {
  animalStore,
  bearer,
  type LogLine,
  parseLog,
  postPet,
  startService,
  until,
  withService,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { canSetClock, startWithClock } from './clock.ts';

const place = useEach(workplace);

const DAY_S = 86_400;

const clockLines = (stdout: string): LogLine[] =>
  parseLog(stdout).filter((line) => String(line['event.name']).startsWith('clock_'));

interface Order {
  readonly status: string;
  readonly expiresAt: string;
}

const postOrder = async (origin: string, key: string, petId: number): Promise<Order> => {
  const response = await fetch(`${origin}/v1/store/orders`, {
    method: 'POST',
    headers: { ...bearer(key).headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ petId }),
  });
  return (await response.json()) as Order;
};

for (const workers of ['1', '2']) {
  const flags = ['--metrics-port', '0', '--workers', workers];

  test.skipIf(!canSetClock)(
    `a clock that is set while --workers ${workers} serve has one line and is counted`,
    async () => {
      const { service, setClock } = await startWithClock(place, flags);
      await withService(service, async ({ stop }) => {
        const jumps = async () => (await scrape(service)).sum('animal_store_clock_jumps_total');
        expect(await jumps()).toBe(0);
        setClock(-2 * DAY_S * 1_000);
        await until(async () => (await jumps()) === 1);
        const lines = clockLines((await stop()).stdout);
        expect(lines).toHaveLength(1);
        const [line] = lines;
        expect(line).toMatchObject({ level: 'warn', 'event.name': 'clock_jumped' });
        expect(Math.abs(Number(line?.['animal_store.clock.jump']) + 2 * DAY_S)).toBeLessThan(5);
      });
    },
  );

  test(`a start of --workers ${workers} with a clock that is behind the database has one line and a metric`, async () => {
    const { database } = place;
    await createKey(database);
    const connection = new Sqlite(database);
    connection.run('UPDATE api_keys SET created_at = created_at + 2 * 86400 * 1000');
    connection.close(true);
    await withService(await startService(database, flags), async (service) => {
      const { sum } = await scrape(service);
      const behind = sum('animal_store_clock_behind_seconds') ?? 0;
      expect(Math.abs(behind - 2 * DAY_S)).toBeLessThan(40);
      const lines = clockLines((await service.stop()).stdout);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({ level: 'warn', 'event.name': 'clock_behind' });
      expect(Number(lines[0]?.['animal_store.clock.behind'])).toBeGreaterThanOrEqual(behind);
    });
  });
}

test.skipIf(!canSetClock)(
  'a clock that is ahead ends holds for good, and API keys until it is right',
  async () => {
    const { service, setClock } = await startWithClock(place);
    await withService(service, async ({ origin, firstKey: admin = '' }) => {
      const key = await createKeyByCommand(place.database, '--expires', '1d');
      await postPet(origin, admin, { name: 'Rex', categoryId: 1, status: 'available' });
      const placed = await postOrder(origin, admin, 1);
      expect(placed).toMatchObject({ id: 1, status: 'placed' });
      const order = async () =>
        (await fetch(`${origin}/v1/store/orders/1`, bearer(admin))).json() as Promise<
          typeof placed
        >;
      const status = async () => (await fetch(`${origin}/v1/pets/1`, bearer(key))).status;
      expect(await status()).toBe(200);
      setClock(2 * DAY_S * 1_000);
      await until(async () => (await order()).status === 'expired');
      expect(await status()).toBe(401);
      setClock(0);
      await until(async () => (await status()) === 200);
      const { status: after, expiresAt } = await order();
      expect([after, Date.parse(expiresAt) > Date.now()]).toEqual(['expired', true]);
    });
  },
);

test('a start with a correct clock says nothing about it', async () => {
  const { database } = place;
  expect(
    (
      await animalStore([
        'keys',
        'create',
        '--name',
        'a',
        '--expires',
        '90d',
        '--database',
        database,
      ])
    ).status,
  ).toBe(0);
  await withService(await startService(database, ['--metrics-port', '0']), async (service) => {
    expect((await scrape(service)).sum('animal_store_clock_behind_seconds')).toBe(0);
    expect(clockLines((await service.stop()).stdout)).toEqual([]);
  });
});
