import type { RequestCore } from '../request-core.ts';

/** What a client has methods for. */
export class Resource {
  declare protected readonly core: RequestCore;

  constructor(core: RequestCore) {
    this.core = core;
  }
}
