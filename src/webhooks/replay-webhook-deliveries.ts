import type { Clock } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import { refuseField } from '../http/contract/faults.ts';
import { countField, timeInput } from '../http/contract/fields.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import { wait } from '../steps.ts';
import { ENDPOINT_PARAMS } from './webhook-resource.ts';
import type { WebhookStore } from './webhook-store.ts';

/** Changes wait for its transaction: some hundred milliseconds on a busy machine. */
const MOST = 25_000;

export const replayWebhookDeliveries = operation({
  id: 'replayWebhookDeliveries',
  method: 'post',
  path: '/webhook-endpoints/{endpointId}/replay',
  tag: 'Webhooks',
  summary: 'Replay events to a webhook endpoint',
  description:
    'Delivers the events of a time again, with the same ids, also those that the endpoint missed. A disabled endpoint gets them when it is ' +
    `enabled. One replay has at most ${MOST} events.`,
  scope: 'webhooks:admin',
  stability: 'beta',
  params: ENDPOINT_PARAMS,
  body: {
    schema: z
      .object({
        after: timeInput('The time of the first event.'),
        until: timeInput('Only events before this time. Default: now.').optional(),
        onlyFailed: z
          .boolean({ error: 'must be true or false' })
          .optional()
          .openapi({ description: 'Whether only failed deliveries are repeated. Default: false.' }),
      })
      .openapi('Replay', { description: 'Which events to deliver again.' }),
    examples: { aDay: { after: '2027-01-01T00:00:00Z', until: '2027-01-02T00:00:00Z' } },
  },
  responses: {
    202: {
      description: 'The deliveries are due.',
      schema: z
        .object({ count: countField('How many deliveries are due.') })
        .openapi('ReplayedDeliveries', { description: 'What a replay delivers.' }),
      example: { count: 24 },
      hasEntityTag: false,
    },
  },
  errors: ['validation_failed', 'webhook_endpoint_not_found'],
});

interface Deps {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
}

export const handleReplayWebhookDeliveries: Handler<typeof replayWebhookDeliveries, Deps> =
  function* (
    { webhooks, clock },
    { params: { endpointId }, body: { after, until, onlyFailed = false } },
  ) {
    const now = clock.now();
    const endpoint = yield* wait(webhooks.get(endpointId));
    if (endpoint === undefined) return refuse('webhook_endpoint_not_found');
    const range = { after, until: until ?? now + 1, onlyFailed };
    const count = yield* wait(webhooks.replay(endpoint, range, now, MOST));
    return count === undefined
      ? refuseField('validation_failed', 'until', `must end the range after at most ${MOST} events`)
      : { status: 202, body: { count } };
  };
