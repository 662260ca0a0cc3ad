/** getStoreSummary: GET /store/summary. */
import { beforeAll, expect, test } from 'bun:test';
import type { Result } from '../../../src/http/contract/handler.ts';
import type { getSummary } from '../../../src/orders/get-summary.ts';
import type { Order } from '../../../src/orders/order.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

type Summary = Result<typeof getSummary>['body'];

const HOUR_MS = 3_600_000;
/** A Sunday on which clocks in Berlin are set forward at two o'clock. */
const NIGHT = Date.parse('2027-03-28T00:00:00+01:00');

const service = useService();
const orders = orderRequests(service);
const sold: Order[] = [];
beforeAll(async () => {
  const sell = async (time: number) => {
    service.clock.set(time);
    sold.push(await orders.addOrder('delivered'));
  };
  // An hour before and after both midnights in Berlin. The day has 23 hours.
  for (const hours of [-1, 1, 22, 24]) await sell(NIGHT + hours * HOUR_MS);
  await orders.addOrder('cancelled');
  await orders.addOrder('approved');
  for (let count = 0; count < 11; count += 1) {
    service.clock.advance(1_000);
    await orders.addOrder('placed');
  }
});

const summary = async (query = '') =>
  (await service.request('GET', `/v1/store/summary${query}`)).json as Summary;
const delivered = async (query: string) =>
  (await summary(query)).days.map(({ date, delivered }) => [date, delivered]);

test('counts by the days of a time zone, with those on which clocks are changed', async () => {
  const inBerlin = { '2027-03-27': 1, '2027-03-28': 2, '2027-03-29': 1 };
  const found = await delivered('?days=3&timeZone=Europe/Berlin');
  expect(found).toEqual(Object.entries(inBerlin));
  const inUtc = { '2027-03-26': 0, '2027-03-27': 1, '2027-03-28': 3 };
  expect(await delivered('?days=3&timeZone=UTC')).toEqual(Object.entries(inUtc));
});

test('has 30 days in UTC by default, with those without orders, and today last', async () => {
  const { timeZone, days } = await summary();
  expect([timeZone, days.length, days.at(-1)?.['date']]).toEqual(['UTC', 30, '2027-03-28']);
  expect(days[0]).toEqual({
    ...{ date: '2027-02-27', placed: 0, delivered: 0 },
    ...{ cancelled: 0, expired: 0, returned: 0 },
  });
});

test('says what happened today, what is open, and what expires next', async () => {
  const { openOrders, expiringNext, days } = await summary();
  expect(days.at(-1)).toMatchObject({ placed: 16, delivered: 3, cancelled: 1, returned: 0 });
  expect(openOrders).toEqual({ placed: 11, approved: 1 });
  expect([...expiringNext]).toEqual((await orders.list('?sort=expiresAt&limit=10')) as never);
});

test('the deliveries of a day stay when an order is returned later', async () => {
  const before = await delivered('?days=3');
  await orders.setStatus(sold[0]?.id, 'returned');
  expect(await delivered('?days=3')).toEqual(before);
  const { days } = await summary('?days=3');
  expect(days.map(({ returned }) => returned)).toEqual([0, 0, 1]);
});

test('is no longer that of yesterday after midnight, although nothing was changed', async () => {
  const last = async () => (await summary()).days.at(-1)?.['date'];
  for (let time = 0; time < 3; time += 1) expect(await last()).toBe('2027-03-28');
  service.clock.advance(24 * HOUR_MS);
  expect(await last()).toBe('2027-03-29');
});
