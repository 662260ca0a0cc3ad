import type { Int64Mode } from './int64.ts';
import type { AnimalStoreOptions } from './options.ts';
import { RequestCore } from './request-core.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { Categories } from './resources/categories.ts';
import { Inventory } from './resources/inventory.ts';
import { Orders } from './resources/orders.ts';
import { Pets } from './resources/pets.ts';
import { Usage } from './resources/usage.ts';

/**
 * A client of the Animal Store Service. `Mode` is the representation of 64-bit integers, and follows from
 * the option `int64`.
 */
export class AnimalStore<Mode extends Int64Mode = 'auto'> {
  readonly pets: Pets<Mode>;
  readonly categories: Categories<Mode>;
  readonly orders: Orders<Mode>;
  readonly inventory: Inventory<Mode>;
  readonly apiKeys: ApiKeys<Mode>;
  readonly usage: Usage<Mode>;

  /** @throws TypeError if an option is invalid */
  constructor(options: AnimalStoreOptions<Mode>) {
    const core = new RequestCore(options);
    this.pets = new Pets(core);
    this.categories = new Categories(core);
    this.orders = new Orders(core);
    this.inventory = new Inventory(core);
    this.apiKeys = new ApiKeys(core);
    this.usage = new Usage(core);
  }
}
