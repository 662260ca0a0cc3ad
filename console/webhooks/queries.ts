import { keepPreviousData } from '@tanstack/react-query';
import type {
  NewWebhookEndpoint,
  Replay,
  WebhookEndpoint,
  WebhookEndpointStatus,
  WebhookTest,
} from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { hasCode, Refusal, unlessGone } from '../failures.ts';
import { firstPage } from '../first-page.ts';
import { useRead } from '../reading.ts';
import { TEXTS } from '../texts.ts';

export type Endpoint = WebhookEndpoint<string>;

/** No event says that a delivery was attempted. */
const WATCHED = { placeholderData: keepPreviousData, refetchInterval: 5_000 } as const;

export const useEndpoints = (cursor: string) =>
  useRead(
    ['webhooks', cursor],
    (store, options) => firstPage(store.webhookEndpoints.list(cursor ? { cursor } : {}, options)),
    WATCHED,
  );

/** The last deliveries of an endpoint, the newest first, as long as it exists. */
export const useDeliveries = (id: string) =>
  useRead(
    ['webhook-deliveries', id],
    (store, options) => firstPage(store.webhookEndpoints.deliveries(id, {}, options)),
    { ...WATCHED, enabled: ({ state }) => !isGone(state.error) },
  );

export const isGone = (error: unknown) => hasCode(error, 'webhook_endpoint_not_found');

export const useCreateEndpoint = () =>
  useChange((store, endpoint: NewWebhookEndpoint, idempotencyKey) =>
    store.webhookEndpoints.create(endpoint, { idempotencyKey }),
  );

/** Sets the status of an endpoint, or deletes it, whatever its version is. */
export const useChangeEndpoint = (id: string) =>
  useChange(async ({ webhookEndpoints }, status: WebhookEndpointStatus | 'deleted') => {
    if (status === 'deleted')
      await webhookEndpoints.delete(id, { ifMatch: '*' }).catch(unlessGone('webhook_endpoint'));
    else await webhookEndpoints.update(id, { status }, { ifMatch: '*' });
  });

/** Takes how long the old secret still signs. */
export const useRotateSecret = (id: string) =>
  useChange((store, gracePeriodSeconds: number, idempotencyKey) =>
    store.webhookEndpoints.rotateSecret(id, { gracePeriodSeconds }, { idempotencyKey }),
  );

export const useReplay = (id: string) =>
  useChange((store, replay: Replay, idempotencyKey) =>
    store.webhookEndpoints.replay(id, replay, { idempotencyKey }),
  );

export const useRedeliver = () =>
  useChange((store, id: string, idempotencyKey) =>
    store.webhookEndpoints.redeliver(id, { idempotencyKey }),
  );

/** Sends a ping. It fails if the endpoint does not accept it. */
export const useTest = (id: string) =>
  useChange(async (store) => {
    const tested = await store.webhookEndpoints.test(id);
    if (tested.error) throw new Refusal(TEXTS.webhooks.refused(whyNot(tested)));
  });

/** Why an attempt failed, in the words of the service. Empty if it did not. */
export const whyNot = ({ error, responseStatus }: Omit<WebhookTest, 'durationMs'>): string =>
  [error?.replaceAll('_', ' '), error && responseStatus].filter(Boolean).join(' ');
