import type { Call } from '../call.ts';
import type {
  IssuedWebhookEndpoint,
  ListWebhookDeliveriesQuery,
  ListWebhookEndpointsQuery,
  NewWebhookEndpoint,
  Replay,
  ReplayedDeliveries,
  SecretRotation,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointPatch,
  WebhookTest,
} from '../generated.ts';
import type { Int64Input, Int64Mode, Int64Output } from '../int64.ts';
import { List } from '../list.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from '../options.ts';
import type { ApiRequest } from '../prepare.ts';
import { pathOf, toQuery } from '../requests.ts';
import { Resource } from './resource.ts';

const PATH = '/webhook-endpoints';

/** The receivers of events. Beta. All methods need the scope `webhooks:admin`. */
export class WebhookEndpoints<Mode extends Int64Mode> extends Resource {
  /** Lists endpoints without their secrets, ascending by id. */
  list(
    query: ListWebhookEndpointsQuery = {},
    options?: CallOptions,
  ): List<WebhookEndpoint<Int64Output<Mode>>> {
    return new List(this.core, PATH, toQuery(query), options);
  }

  /** Fetches one endpoint. */
  get(id: Int64Input<Mode>, options?: CallOptions): Call<WebhookEndpoint<Int64Output<Mode>>> {
    return this.#send('GET', id, options);
  }

  /** Creates an endpoint, which must accept a ping. The response contains the secret that signs. */
  create(
    endpoint: NewWebhookEndpoint,
    options?: CreateOptions,
  ): Call<IssuedWebhookEndpoint<Int64Output<Mode>>> {
    return this.core.call('POST', () => PATH, options, endpoint);
  }

  /** Changes, disables or enables an endpoint. */
  update(
    id: Int64Input<Mode>,
    patch: WebhookEndpointPatch<Int64Input<Mode>>,
    options?: ChangeOptions,
  ): Call<WebhookEndpoint<Int64Output<Mode>>> {
    return this.#send('PATCH', id, options, '', patch);
  }

  /** Removes an endpoint with its deliveries. */
  delete(id: Int64Input<Mode>, options?: ChangeOptions): Call<void> {
    return this.#send('DELETE', id, options);
  }

  /** Gives an endpoint a new secret. Both secrets sign until the grace period ends. */
  rotateSecret(
    id: Int64Input<Mode>,
    rotation: SecretRotation,
    options?: CreateOptions,
  ): Call<IssuedWebhookEndpoint<Int64Output<Mode>>> {
    return this.#send('POST', id, options, '/rotate-secret', rotation);
  }

  /** Sends a ping, and says what became of it. */
  test(id: Int64Input<Mode>, options?: CreateOptions): Call<WebhookTest> {
    return this.#send('POST', id, options, '/test');
  }

  /** Lists the deliveries of an endpoint, the newest first. */
  deliveries(
    id: Int64Input<Mode>,
    query: ListWebhookDeliveriesQuery = {},
    options?: CallOptions,
  ): List<WebhookDelivery<Int64Output<Mode>>> {
    return new List(this.core, `${pathOf(PATH, id)}/deliveries`, toQuery(query), options);
  }

  /** Delivers the events of a time again. */
  replay(id: Int64Input<Mode>, replay: Replay, options?: CreateOptions): Call<ReplayedDeliveries> {
    return this.#send('POST', id, options, '/replay', replay);
  }

  /** Delivers one event again. */
  redeliver(deliveryId: Int64Input<Mode>, options?: CreateOptions): Call<void> {
    return this.core.call(
      'POST',
      () => `${pathOf('/webhook-deliveries', deliveryId)}/redeliver`,
      options,
    );
  }

  #send<T>(
    method: ApiRequest['method'],
    id: Int64Input<Mode>,
    options: CallOptions | undefined,
    action = '',
    body?: unknown,
  ): Call<T> {
    return this.core.call(method, () => pathOf(PATH, id) + action, options, body);
  }
}
