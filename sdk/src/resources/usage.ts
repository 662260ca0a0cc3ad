import type { Call } from '../call.ts';
import type { Usage as Counts } from '../generated.ts';
import type { Int64Mode, Int64Output } from '../int64.ts';
import type { CallOptions } from '../options.ts';
import { Resource } from './resource.ts';

/** How often, when and by which keys operations were called. Beta. Needs the scope `keys:admin`. */
export class Usage<Mode extends Int64Mode> extends Resource {
  /** Counts the calls per operation and day, of the last 30 days. */
  get(options?: CallOptions): Call<Counts<Int64Output<Mode>>> {
    return this.core.call('GET', () => '/usage', options);
  }
}
