import { Call } from '../call.ts';
import type { Inventory as Counts } from '../generated.ts';
import type { CallOptions } from '../options.ts';
import type { RequestCore } from '../request-core.ts';

/** How many animals have each status. Beta. */
export class Inventory {
  readonly #core: RequestCore;

  constructor(core: RequestCore) {
    this.#core = core;
  }

  /** Counts the animals. */
  get(options?: CallOptions): Call<Counts> {
    return new Call(async () =>
      this.#core.send({ method: 'GET', path: '/store/inventory' }, options),
    );
  }
}
