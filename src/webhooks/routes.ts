import { preparedWriting, reading, writing } from '../http/contract/handler.ts';
import {
  createWebhookEndpoint,
  handleCreateWebhookEndpoint,
  prepareCreation,
} from './create-webhook-endpoint.ts';
import { deleteWebhookEndpoint, handleDeleteWebhookEndpoint } from './delete-webhook-endpoint.ts';
import { getWebhookEndpoint, handleGetWebhookEndpoint } from './get-webhook-endpoint.ts';
import { handleListWebhookDeliveries, listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { handleListWebhookEndpoints, listWebhookEndpoints } from './list-webhook-endpoints.ts';
import {
  handleRedeliverWebhookDelivery,
  redeliverWebhookDelivery,
} from './redeliver-webhook-delivery.ts';
import {
  handleReplayWebhookDeliveries,
  replayWebhookDeliveries,
} from './replay-webhook-deliveries.ts';
import { handleRotateWebhookSecret, rotateWebhookSecret } from './rotate-webhook-secret.ts';
import {
  handleTestWebhookEndpoint,
  prepareTest,
  testWebhookEndpoint,
} from './test-webhook-endpoint.ts';
import {
  handleUpdateWebhookEndpoint,
  prepareUpdate,
  updateWebhookEndpoint,
} from './update-webhook-endpoint.ts';

type OfEndpoint = { readonly params: { readonly endpointId: number | bigint } };
const resource = ({ params }: OfEndpoint) => `webhook-endpoints/${params.endpointId}`;

export const webhookOperations = [
  preparedWriting(
    createWebhookEndpoint,
    prepareCreation,
    handleCreateWebhookEndpoint,
    (_, { body }) => `webhook-endpoints/${body.id}`,
  ),
  reading(listWebhookEndpoints, handleListWebhookEndpoints),
  reading(getWebhookEndpoint, handleGetWebhookEndpoint),
  preparedWriting(updateWebhookEndpoint, prepareUpdate, handleUpdateWebhookEndpoint, resource),
  writing(deleteWebhookEndpoint, handleDeleteWebhookEndpoint, resource),
  writing(rotateWebhookSecret, handleRotateWebhookSecret, resource),
  preparedWriting(testWebhookEndpoint, prepareTest, handleTestWebhookEndpoint, resource),
  reading(listWebhookDeliveries, handleListWebhookDeliveries),
  writing(replayWebhookDeliveries, handleReplayWebhookDeliveries, resource),
  writing(
    redeliverWebhookDelivery,
    handleRedeliverWebhookDelivery,
    ({ params }) => `webhook-deliveries/${params.deliveryId}`,
  ),
];
