import type { Clock } from '../clock.ts';
import { countField, queryInteger } from '../http/contract/fields.ts';
import type { DirectHandler, Result } from '../http/contract/handler.ts';
import { ALWAYS_NO_STORE, NO_STORE } from '../http/contract/no-store.ts';
import { operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import { runSteps, type Steps, wait } from '../steps.ts';
import { isTimeZone, lastDays } from './calendar-days.ts';
import { Order } from './order.ts';
import type { OrderReader } from './order-store.ts';

const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

/** As many holds as a person sees at once. */
const MAX_EXPIRING = 10;

const timeZoneText = z
  .string()
  .openapi({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_+/-]+$' });

const Summary = z
  .object({
    timeZone: timeZoneText.openapi({ description: 'The time zone of the days.' }),
    openOrders: z
      .object({
        placed: countField('Orders that hold an animal for a time.'),
        approved: countField('Orders that hold an animal until they are delivered or cancelled.'),
      })
      .openapi({ description: 'How many orders are open now.' }),
    expiringNext: z
      .array(Order)
      .max(MAX_EXPIRING)
      .openapi({
        description: `The placed orders that expire next, the first one first, at most ${MAX_EXPIRING}.`,
      }),
    days: z
      .array(
        z.object({
          date: z.iso
            .date()
            .openapi({ maxLength: 10, description: 'The day, by the clock of the time zone.' }),
          placed: countField('Orders that were placed.'),
          delivered: countField('Orders that were delivered, even if they were returned later.'),
          cancelled: countField('Orders that were cancelled.'),
          expired: countField('Orders that expired.'),
          returned: countField('Orders that were returned.'),
        }),
      )
      .max(MAX_DAYS)
      .openapi({ description: 'The last days, ascending. The last one is today.' }),
  })
  .openapi('StoreSummary', { description: 'How the store is doing.' });

export const getSummary = operation({
  id: 'getStoreSummary',
  method: 'get',
  path: '/store/summary',
  tag: 'Orders',
  summary: 'Summarize the orders of the last days',
  description:
    'Returns how many orders were placed, delivered, cancelled, returned or expired on each of the last days. Also returns what is open now. ' +
    'The deliveries of a day do not change afterwards, unless the operator deletes old orders.',
  scope: 'orders:read',
  stability: 'beta',
  query: z.object({
    days: queryInteger({ minimum: 1, maximum: MAX_DAYS, default: DEFAULT_DAYS }).openapi({
      param: { description: 'The number of days, with today.', example: DEFAULT_DAYS },
    }),
    timeZone: timeZoneText
      .refine(isTimeZone, 'must be the name of a time zone such as Europe/Berlin')
      .default('UTC')
      .openapi({
        type: 'string',
        default: 'UTC',
        param: {
          description:
            'The time zone whose clock separates the days, as the IANA database names it.',
          example: 'Europe/Berlin',
        },
      }),
  }),
  responses: {
    200: {
      description: 'The summary.',
      schema: Summary,
      example: {
        timeZone: 'Europe/Berlin',
        openOrders: { placed: 1, approved: 2 },
        expiringNext: [
          {
            id: 1,
            petId: 1,
            status: 'placed',
            createdAt: '2027-01-01T12:00:00.000Z',
            expiresAt: '2027-01-01T12:30:00.000Z',
          },
        ],
        days: [
          { date: '2027-01-01', placed: 4, delivered: 3, cancelled: 0, expired: 1, returned: 0 },
        ],
      },
      headers: ALWAYS_NO_STORE,
    },
  },
  errors: ['invalid_parameter'],
});

interface Deps {
  readonly orders: OrderReader;
  readonly clock: Clock;
}

export const handleGetSummary: DirectHandler<typeof getSummary, Deps> = (deps, { query }) =>
  runSteps(summarize(deps, query));

function* summarize(
  { orders, clock }: Deps,
  { days, timeZone }: { readonly days: number; readonly timeZone: string },
): Steps<Result<typeof getSummary>> {
  const { dates, bounds } = lastDays(clock.now(), days, timeZone);
  const counts = yield* wait(orders.countDays(bounds));
  const openOrders = yield* wait(orders.countOpen());
  const expiringNext = yield* wait(orders.list(EXPIRING, undefined, MAX_EXPIRING));
  return {
    status: 200,
    // The response changes at midnight without a change of the database.
    headers: NO_STORE,
    body: {
      timeZone,
      openOrders,
      expiringNext,
      days: counts.map((count, index) => ({ date: dates[index] ?? '', ...count })),
    },
  };
}

const EXPIRING = { filters: {}, sort: 'id', by: 'expiresAt' } as const;
