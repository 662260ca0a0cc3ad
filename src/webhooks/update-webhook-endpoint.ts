import { refuse } from '../http/contract/errors.ts';
import { refuseOtherId } from '../http/contract/fields.ts';
import type { Handler, Prepare } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import {
  describeEndpoint,
  ENDPOINT_PARAMS,
  EXAMPLE_ENDPOINT,
  type PingDeps,
  refuseEndpoint,
  typesText,
  verify,
  WebhookEndpointBody,
  WebhookEndpointPatch,
} from './webhook-resource.ts';
import { typesOf, type WebhookEndpoint, type WebhookStore } from './webhook-store.ts';

export const updateWebhookEndpoint = operation({
  id: 'updateWebhookEndpoint',
  method: 'patch',
  path: '/webhook-endpoints/{endpointId}',
  tag: 'Webhooks',
  summary: 'Change, disable or enable a webhook endpoint',
  description:
    'Changes the URL, the types or the status. An endpoint with a new URL, and one that becomes enabled, must accept a `ping`, as at its ' +
    'creation. Pending deliveries of a disabled endpoint wait until it is enabled.',
  scope: 'webhooks:admin',
  stability: 'beta',
  params: ENDPOINT_PARAMS,
  body: {
    schema: WebhookEndpointPatch,
    isMergePatch: true,
    examples: { disable: { status: 'disabled' }, allTypes: { types: null } },
  },
  responses: {
    200: {
      description: 'The changed endpoint.',
      schema: WebhookEndpointBody,
      example: EXAMPLE_ENDPOINT,
    },
  },
  errors: [
    'read_only_field',
    'validation_failed',
    'endpoint_unverified',
    'scope_missing',
    'webhook_endpoint_not_found',
    'precondition_failed',
    'precondition_required',
    'webhooks_unavailable',
  ],
});

export const prepareUpdate: Prepare<typeof updateWebhookEndpoint, PingDeps, undefined> = async (
  { webhooks, sender, clock },
  { params: { endpointId }, body, scopes, precondition },
) => {
  const otherId = refuseOtherId(body.id, endpointId);
  if (otherId) return otherId;
  const endpoint = await webhooks.get(endpointId);
  if (endpoint === undefined) return refuse('webhook_endpoint_not_found');
  const unmet = precondition(describeEndpoint(endpoint));
  if (unmet) return unmet;
  const { url = endpoint.url, status = endpoint.status, types = typesOf(endpoint) } = body;
  const isNew = url !== endpoint.url || (status === 'enabled' && endpoint.status !== status);
  if (!isNew && body.types === undefined) return undefined;
  if (sender === undefined) return refuse('webhooks_unavailable');
  const refusal = refuseEndpoint({ url, types: types ?? undefined }, scopes, sender);
  if (refusal || !isNew) return refusal;
  return verify(sender, url, await webhooks.secretsOf(endpointId, clock.now()));
};

export const handleUpdateWebhookEndpoint: Handler<
  typeof updateWebhookEndpoint,
  { readonly webhooks: WebhookStore }
> = function* ({ webhooks }, { params: { endpointId }, body, precondition }) {
  const endpoint = yield* wait(webhooks.get(endpointId));
  if (endpoint === undefined) return refuse('webhook_endpoint_not_found');
  const unmet = precondition(describeEndpoint(endpoint));
  if (unmet) return unmet;
  const { status = endpoint.status, url = endpoint.url } = body;
  const { types: typesBefore, disabledReason, failingSince, ...kept } = endpoint;
  const types = body.types === undefined ? typesBefore : body.types && typesText(body.types);
  const changed: WebhookEndpoint = {
    ...kept,
    url,
    ...(types != null && { types }),
    status,
    ...(status === 'disabled' && {
      disabledReason: body.status === undefined ? (disabledReason ?? 'requested') : 'requested',
    }),
    // An endpoint that becomes enabled has five days again.
    ...(failingSince !== undefined && status === endpoint.status && { failingSince }),
  };
  yield* wait(webhooks.replace(changed));
  return { status: 200, body: describeEndpoint(changed) };
};
