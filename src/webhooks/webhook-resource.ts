import { type Clock, toIso } from '../clock.ts';
import { formatEventId } from '../events/event-id.ts';
import { EVENT_TYPES, type EventType } from '../events/event-types.ts';
import { scopeMissing } from '../http/contract/challenges.ts';
import { type Refusal, refuse } from '../http/contract/errors.ts';
import { refuseField } from '../http/contract/faults.ts';
import {
  enumField,
  idParameter,
  int64Field,
  required,
  timeField,
  unchangedIdField,
} from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';
import {
  type Attempt,
  DELIVERY_ERRORS,
  formatSecret,
  type WebhookSender,
} from './webhook-sender.ts';
import {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  ENDPOINT_STATUSES,
  type ListedDelivery,
  type WebhookEndpoint,
  type WebhookReader,
} from './webhook-store.ts';

/** Webhook endpoints and deliveries as JSON. */

const url = z
  .string({ error: (issue) => required(issue, 'must be a string') })
  .openapi({ format: 'uri', maxLength: 2_048, description: 'Where events are sent: https.' });
const EventTypeName = enumField(EVENT_TYPES).openapi('EventType', {
  description: 'What happened. A later version may add types.',
});
const EndpointStatus = enumField(ENDPOINT_STATUSES).openapi('WebhookEndpointStatus', {
  description: 'A disabled endpoint gets no events, also not later: replay those that it missed.',
});
const DisabledReason = z.enum(DISABLED_REASONS).openapi('WebhookDisabledReason', {
  description:
    'Why an endpoint is disabled. `requested`: a client said so. `failing`: all deliveries of five days failed. `gone`: it responded ' +
    'with 410. `restored`: the database was restored or copied.',
});
const DeliveryStatus = z.enum(DELIVERY_STATUSES).openapi('WebhookDeliveryStatus', {
  description:
    'A `pending` one is attempted again. A `failed` one is not, unless it is redelivered.',
});
const DeliveryError = z.enum(DELIVERY_ERRORS).openapi('WebhookDeliveryError', {
  description:
    'Why an attempt failed. `address_refused`: the operator does not allow its network, or http. `event_damaged`: the service cannot read the event. ' +
    '`secret_unreadable`: the service lacks the key of the secret. `restored`: the database was restored before.',
});
const types = z
  .array(EventTypeName, {
    error: (issue) => required(issue, 'must be an array of types of events'),
  })
  .min(1, 'must not be empty')
  .max(100, 'must not have more than 100 types')
  .openapi({
    description:
      'The types of its events. Absent: all, also those of later versions, but not those of API keys. These need the scope `keys:admin`, too.',
  });

export const NewWebhookEndpoint = z
  .object({ url, types: types.optional() })
  .openapi('NewWebhookEndpoint', { description: 'A webhook endpoint to create.' });

export const WebhookEndpointPatch = z
  .object({
    id: unchangedIdField,
    url: url.optional(),
    types: types.nullable().optional(),
    status: EndpointStatus.optional(),
  })
  .openapi('WebhookEndpointPatch', {
    description: 'A merge patch of a webhook endpoint (RFC 7396).',
  });

const fields = {
  id: int64Field('Unique identifier, assigned by the service and never reused.'),
  url,
  types: types.optional(),
  status: EndpointStatus,
  disabledReason: DisabledReason.optional(),
  createdAt: timeField('When it was created.'),
  failingSince: timeField(
    'Since when all deliveries have failed. Absent if they do not.',
  ).optional(),
};
export const WebhookEndpointBody = z
  .object(fields)
  .openapi('WebhookEndpoint', { description: 'A receiver of events, without its secret.' });
export const IssuedWebhookEndpoint = z
  .object({
    ...fields,
    secret: z.string().openapi({
      pattern: '^whsec_[A-Za-z0-9+/]{32}$',
      maxLength: 38,
      description: 'The secret that signs. No other operation returns it.',
    }),
  })
  .openapi('IssuedWebhookEndpoint', { description: 'A webhook endpoint with its new secret.' });

const millis = (description: string) =>
  z.int().openapi({ format: 'int32', minimum: 0, maximum: 86_400_000, description });
const attemptFields = {
  responseStatus: z.int().optional().openapi({
    format: 'int32',
    minimum: 100,
    maximum: 999,
    description: 'The status of the response. Absent if there was none.',
  }),
  error: DeliveryError.optional(),
};
export const WebhookTest = z
  .object({ ...attemptFields, durationMs: millis('How long it took, in milliseconds.') })
  .openapi('WebhookTest', { description: 'What became of a ping.' });

export const WebhookDelivery = z
  .object({
    id: int64Field('Unique identifier.'),
    endpointId: int64Field('Identifier of the endpoint.'),
    eventId: z.string().openapi({ maxLength: 28, description: 'Identifier of the event.' }),
    type: z.string().openapi({ maxLength: 64, description: 'The type of the event.' }),
    subject: z.string().openapi({ maxLength: 40, description: 'What changed, such as `pets/7`.' }),
    status: DeliveryStatus,
    attempts: z.int().openapi({
      format: 'int32',
      minimum: 0,
      maximum: 100,
      description: 'How often it was attempted.',
    }),
    nextAttemptAt: timeField('When it is attempted next. Absent if it is not pending.').optional(),
    lastAttemptAt: timeField('When it was attempted last.').optional(),
    durationMs: millis('How long the last attempt took, in milliseconds.').optional(),
    ...attemptFields,
  })
  .openapi('WebhookDelivery', { description: 'The delivery of one event to one endpoint.' });

export const ENDPOINT_PARAMS = {
  schema: idParameter('endpointId', 'Identifier of the endpoint.'),
  notFound: 'webhook_endpoint_not_found',
} as const;

export const EXAMPLE_ENDPOINT = {
  id: 1,
  url: 'https://shop.example/webhooks',
  types: ['order.delivered' as const],
  status: 'enabled' as const,
  createdAt: '2027-01-01T12:00:00.000Z',
};
export const EXAMPLE_SECRET = `whsec_${'A'.repeat(32)}`;
export const EXAMPLE_DELIVERY = {
  id: 1,
  endpointId: 1,
  eventId: '5f0c9a17-41',
  type: 'order.delivered',
  subject: 'orders/4',
  status: 'pending' as const,
  attempts: 1,
  nextAttemptAt: '2027-01-01T12:00:05.000Z',
  lastAttemptAt: '2027-01-01T12:00:00.000Z',
  durationMs: 12,
  responseStatus: 500,
  error: 'unsuccessful_status' as const,
};

export const describeEndpoint = ({
  id,
  url,
  types,
  status,
  disabledReason,
  createdAt,
  failingSince,
}: WebhookEndpoint): z.output<typeof WebhookEndpointBody> => ({
  id,
  url,
  ...(types !== undefined && { types: types.split(' ') as EventType[] }),
  status,
  ...(disabledReason !== undefined && { disabledReason }),
  createdAt,
  ...(failingSince !== undefined && { failingSince }),
});

/** @param secret open. */
export const describeIssued = (endpoint: WebhookEndpoint, secret: Uint8Array) => ({
  ...describeEndpoint(endpoint),
  secret: formatSecret(secret),
});

export const describeAttempt = ({ responseStatus, error, durationMs }: Attempt) => ({
  ...(responseStatus !== undefined && { responseStatus }),
  ...(error !== undefined && { error }),
  durationMs,
});

export function describeDelivery(
  delivery: ListedDelivery,
  generation: string,
): z.output<typeof WebhookDelivery> {
  const { nextAt, attemptedAt, durationMs, lastStatus, lastError } = delivery;
  return {
    id: delivery.id,
    endpointId: delivery.endpointId,
    eventId: formatEventId({ generation, position: delivery.eventId }),
    type: delivery.type,
    subject: delivery.subject,
    status: delivery.status,
    attempts: delivery.attempts,
    ...(nextAt !== null && { nextAttemptAt: toIso(nextAt) }),
    ...(attemptedAt !== null && { lastAttemptAt: toIso(attemptedAt) }),
    ...(durationMs !== null && { durationMs }),
    ...(lastStatus !== null && { responseStatus: lastStatus }),
    ...(lastError !== null && { error: lastError as z.output<typeof DeliveryError> }),
  };
}

/** The text of some types as stored. */
export const typesText = (types: readonly EventType[]): string => [...new Set(types)].join(' ');

/** Why a client may not choose this URL or these types. Undefined if it may. */
export function refuseEndpoint(
  { url, types }: { readonly url: string; readonly types?: readonly EventType[] | undefined },
  scopes: ReadonlySet<string>,
  sender: WebhookSender,
): Refusal<'validation_failed' | 'scope_missing'> | undefined {
  const problem = sender.problemOf(url);
  if (problem !== undefined) return refuseField('validation_failed', 'url', problem);
  const isOfKeys = types?.some((type) => type.startsWith('api_key.'));
  return isOfKeys && !scopes.has('keys:admin') ? scopeMissing('keys:admin') : undefined;
}

/** What an operation needs that pings an endpoint before its transaction. */
export interface PingDeps {
  readonly webhooks: WebhookReader;
  readonly sender: WebhookSender | undefined;
  readonly clock: Clock;
}

/** Pings a receiver. The refusal if it does not respond with success. @param secrets sealed. */
export async function verify(
  sender: WebhookSender,
  url: string,
  secrets: readonly Uint8Array[],
): Promise<Refusal<'endpoint_unverified' | 'webhooks_unavailable'> | undefined> {
  const { error, responseStatus } = await sender.ping(url, secrets);
  if (error === undefined) return undefined;
  if (error === 'secret_unreadable')
    return refuse(
      'webhooks_unavailable',
      'The secret of this endpoint was sealed under a key that WEBHOOK_SECRET_KEY lacks. Rotate the secret, or ask the operator to add the key.',
    );
  const response = responseStatus === undefined ? error : `${error} (${responseStatus})`;
  return refuse('endpoint_unverified', `The endpoint did not accept a ping: ${response}.`);
}
