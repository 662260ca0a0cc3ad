import { Event } from '../events/event.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { timeField } from '../http/contract/fields.ts';
import type { WebhookMessage } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';

const Ping = z
  .object({
    id: z.string().openapi({ maxLength: 32, description: 'Identifies the ping.' }),
    type: z.literal('ping'),
    timestamp: timeField('When it was sent.'),
    data: z.object({}),
  })
  .openapi('PingEvent', { description: 'Asks whether an endpoint accepts events.' });

const schemaOf = (type: string): z.ZodType | undefined =>
  (Event.options as readonly z.ZodObject[])
    .find(({ shape }) => (shape['type'] as z.ZodEnum).options.includes(type))
    ?.extend({ type: z.literal(type) });

/** What the service sends to endpoints, by type. */
export const webhookMessages: readonly WebhookMessage[] = [
  ...EVENT_TYPES.map((type) => ({
    type,
    description: `The service sends it to the endpoints that want \`${type}\`.`,
    schema: schemaOf(type) ?? Event,
  })),
  {
    type: 'ping',
    description: 'The service sends it to verify or test an endpoint.',
    schema: Ping,
  },
];
