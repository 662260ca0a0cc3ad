import { Call } from './call.ts';
import type { Int64Mode } from './int64.ts';
import type { AnimalStoreOptions, RequestOptions } from './options.ts';
import type { ApiRequest } from './prepare.ts';
import { RequestCore } from './request-core.ts';
import { toQuery } from './requests.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { Categories } from './resources/categories.ts';
import { Events } from './resources/events.ts';
import { Inventory } from './resources/inventory.ts';
import { Orders } from './resources/orders.ts';
import { Pets } from './resources/pets.ts';
import { Usage } from './resources/usage.ts';
import { WebhookEndpoints } from './resources/webhook-endpoints.ts';

/**
 * A client of the Animal Store Service. `Mode` is the representation of 64-bit integers, and follows from
 * the option `int64`.
 */
export class AnimalStore<Mode extends Int64Mode = 'auto'> {
  declare readonly pets: Pets<Mode>;
  declare readonly categories: Categories<Mode>;
  declare readonly orders: Orders<Mode>;
  declare readonly inventory: Inventory<Mode>;
  declare readonly events: Events<Mode>;
  declare readonly apiKeys: ApiKeys<Mode>;
  declare readonly usage: Usage<Mode>;
  declare readonly webhookEndpoints: WebhookEndpoints<Mode>;
  readonly #core: RequestCore;

  /** @throws TypeError if an option is invalid */
  constructor(options: AnimalStoreOptions<Mode>) {
    const core = new RequestCore(options);
    this.#core = core;
    this.pets = new Pets(core);
    this.categories = new Categories(core);
    this.orders = new Orders(core);
    this.inventory = new Inventory(core);
    this.events = new Events(core);
    this.apiKeys = new ApiKeys(core);
    this.usage = new Usage(core);
    this.webhookEndpoints = new WebhookEndpoints(core);
  }

  /**
   * Sends a request that has no method here, with everything that the methods do.
   * @param path relative to the base URL, such as `/pets`
   */
  request<T = unknown>(
    method: ApiRequest['method'],
    path: string,
    { query = {}, body, ...options }: RequestOptions = {},
  ): Call<T> {
    return new Call(async () => {
      // The path may have a query, too.
      const text = toQuery(query, path.includes('?') ? '&' : '?');
      if (text === undefined) throw new TypeError('query: an empty array selects nothing.');
      // Otherwise the error of fetch looks like a lost connection.
      if (method === 'GET' && body !== undefined) throw new TypeError('body: GET has none.');
      // Without a slash the path would be a part of the name of the host.
      return this.#core.send(
        { method, path: path.replace(/^\/?/, '/'), query: text, body },
        options,
      );
    });
  }
}
