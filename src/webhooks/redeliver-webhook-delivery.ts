import type { Clock } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import { idParameter } from '../http/contract/fields.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import type { WebhookStore } from './webhook-store.ts';

export const redeliverWebhookDelivery = operation({
  id: 'redeliverWebhookDelivery',
  method: 'post',
  path: '/webhook-deliveries/{deliveryId}/redeliver',
  tag: 'Webhooks',
  summary: 'Redeliver an event',
  description:
    'Delivers an event again, with the same id. Its attempts begin anew. A disabled endpoint gets it when it is enabled.',
  scope: 'webhooks:admin',
  stability: 'beta',
  params: {
    schema: idParameter('deliveryId', 'Identifier of the delivery.'),
    notFound: 'webhook_delivery_not_found',
  },
  responses: { 202: { description: 'The delivery is due.' } },
  errors: ['webhook_delivery_not_found'],
});

interface Deps {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
}

export const handleRedeliverWebhookDelivery: Handler<typeof redeliverWebhookDelivery, Deps> =
  function* ({ webhooks, clock }, { params: { deliveryId } }) {
    return (yield* wait(webhooks.redeliver(deliveryId, clock.now())))
      ? { status: 202 }
      : refuse('webhook_delivery_not_found');
  };
