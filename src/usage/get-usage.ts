import { type Clock, toIso } from '../clock.ts';
import { countField, keyIdField, nameField, timeField } from '../http/contract/fields.ts';
import type { DirectHandler, Result } from '../http/contract/handler.ts';
import { ALWAYS_NO_STORE, NO_STORE } from '../http/contract/no-store.ts';
import { type Operation, operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import {
  type DailyUsage,
  firstUsageDay,
  formatDay,
  type LatestUsage,
  USAGE_DAYS,
  type UsageReader,
} from '../observe/usage.ts';
import { runSteps, type Steps, wait } from '../steps.ts';
import { LIFECYCLES, lifecycleAmong } from './lifecycle.ts';

/** The maximum number of keys of one operation in the response. */
const MAX_KEYS = 100;

const date = (description: string) => z.iso.date().openapi({ maxLength: 10, description });

const OperationUsageBody = z.object({
  operationId: z.string().openapi({
    pattern: '^[A-Za-z]+$',
    maxLength: 64,
    description: 'The operationId of the OpenAPI document.',
  }),
  lifecycle: z.enum(LIFECYCLES).openapi({
    description:
      'Whether the operation is stable, beta, experimental or deprecated; `removed` if this version of the service does not have it.',
  }),
  totalCalls: countField('The calls since the first start, by all keys.'),
  lastCalledAt: timeField('When the operation was last called.'),
  days: z
    .array(
      z.object({ date: date('The day, in UTC.'), calls: countField('The calls by all keys.') }),
    )
    .openapi({
      minItems: USAGE_DAYS,
      maxItems: USAGE_DAYS,
      description: `The last ${USAGE_DAYS} days, ascending, also those without calls.`,
    }),
  keyCount: countField('How many keys have called the operation.'),
  keys: z
    .array(
      z.object({
        keyId: keyIdField('Identifier of the key.'),
        keyName: nameField('The name of the key.'),
        totalCalls: countField('The calls since the first start, by this key.'),
        lastCalledAt: timeField('When this key last called the operation.'),
      }),
    )
    .openapi({
      maxItems: MAX_KEYS,
      description: `The keys that have called the operation, the latest call first, at most ${MAX_KEYS}.`,
    }),
});

const UsageBody = z
  .object({
    from: date('The first of the days, in UTC.'),
    to: date('The last of the days: today, in UTC.'),
    operations: z.array(OperationUsageBody).openapi({
      description: 'The operations that were ever called, ascending by operationId.',
    }),
  })
  .openapi('Usage', { description: 'How often, when and by which keys operations were called.' });

const EXAMPLE_DAYS = Array.from({ length: USAGE_DAYS }, (_day, index) => ({
  date: formatDay(20_454 + index),
  calls: index === 0 ? 40 : 0,
}));

export const getUsage = operation({
  id: 'getUsage',
  method: 'get',
  path: '/usage',
  tag: 'Usage',
  summary: 'Get the usage of operations',
  description:
    `Returns how often each operation was called, per day for the last ${USAGE_DAYS} days and in total. Also returns which keys called it last. ` +
    'A request counts if its API key is valid and its path and method name an operation, whatever the response, except for 429 and `invalid_request`. Calls appear here ' +
    'after about ten seconds. A call in the last ten seconds of a day may count for the next day.',
  scope: 'keys:admin',
  stability: 'beta',
  responses: {
    200: {
      description: 'The usage of all operations.',
      schema: UsageBody,
      example: {
        from: EXAMPLE_DAYS[0]?.date,
        to: EXAMPLE_DAYS.at(-1)?.date,
        operations: [
          {
            operationId: 'getPet',
            lifecycle: 'deprecated',
            totalCalls: 1250,
            lastCalledAt: '2026-01-01T12:00:00.000Z',
            days: EXAMPLE_DAYS,
            keyCount: 1,
            keys: [
              {
                keyId: 2,
                keyName: 'web shop',
                totalCalls: 1250,
                lastCalledAt: '2026-01-01T12:00:00.000Z',
              },
            ],
          },
        ],
      },
      headers: ALWAYS_NO_STORE,
    },
  },
  errors: [],
});

interface Deps {
  readonly usage: UsageReader;
  readonly operations: readonly Operation[];
  readonly clock: Clock;
}

export const handleGetUsage: DirectHandler<typeof getUsage, Deps> = (deps) =>
  runSteps(readUsage(deps));

function* readUsage({ usage, operations, clock }: Deps): Steps<Result<typeof getUsage>> {
  const firstDay = firstUsageDay(clock.now());
  const callers = Map.groupBy(
    yield* wait(usage.listLatest(MAX_KEYS)),
    ({ operationId }) => operationId,
  );
  const daily = Map.groupBy(
    yield* wait(usage.listDays(firstDay)),
    ({ operationId }) => operationId,
  );
  const lifecycleOf = lifecycleAmong(operations);
  return {
    status: 200,
    // The response changes at midnight without a change of the database.
    headers: NO_STORE,
    body: {
      from: formatDay(firstDay),
      to: formatDay(firstDay + USAGE_DAYS - 1),
      operations: [...callers].map(([operationId, latest]) => {
        // A group of rows is not empty, and each row has the totals.
        const { totalCalls, lastCalledAt, keyCount } = latest[0] as LatestUsage;
        return {
          operationId,
          lifecycle: lifecycleOf(operationId),
          totalCalls,
          lastCalledAt: toIso(lastCalledAt),
          days: describeDays(firstDay, daily.get(operationId) ?? []),
          keyCount,
          keys: latest.map(describeCaller),
        };
      }),
    },
  };
}

function describeDays(firstDay: number, used: readonly DailyUsage[]) {
  const calls = new Map(used.map((one) => [one.day, one.calls]));
  return Array.from({ length: USAGE_DAYS }, (_day, index) => ({
    date: formatDay(firstDay + index),
    calls: calls.get(firstDay + index) ?? 0,
  }));
}

const describeCaller = ({ keyId, keyName, calls, lastCalledAt }: LatestUsage) => ({
  keyId,
  keyName,
  totalCalls: calls,
  lastCalledAt: toIso(lastCalledAt),
});
