import type { Call } from '../call.ts';
import type {
  ApiKey,
  CurrentApiKey,
  IssuedApiKey,
  ListApiKeysQuery,
  NewApiKey,
  Rotation,
} from '../generated.ts';
import type { Int64Input, Int64Mode, Int64Output } from '../int64.ts';
import { List } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { pathOf, toQuery } from '../requests.ts';
import { Resource } from './resource.ts';

const PATH = '/api-keys';

/** The API keys of clients. Beta. All methods but `current` need the scope `keys:admin`. */
export class ApiKeys<Mode extends Int64Mode> extends Resource {
  /** Lists API keys without their secrets, ascending by id. */
  list(query: ListApiKeysQuery = {}, options?: CallOptions): List<ApiKey<Int64Output<Mode>>> {
    return new List(this.core, PATH, toQuery(query), options);
  }

  /** Fetches the API key of this client, without its secret. Needs no scope. */
  current(options?: CallOptions): Call<CurrentApiKey<Int64Output<Mode>>> {
    return this.core.call('GET', () => `${PATH}/current`, options);
  }

  /** Creates an API key. Only this response contains the key itself. */
  create(key: NewApiKey, options?: CreateOptions): Call<IssuedApiKey<Int64Output<Mode>>> {
    return this.core.call('POST', () => PATH, options, key);
  }

  /** Creates the successor of an API key. The old key expires after the grace period. */
  rotate(
    id: Int64Input<Mode>,
    rotation: Rotation,
    options?: CreateOptions,
  ): Call<IssuedApiKey<Int64Output<Mode>>> {
    return this.core.call('POST', () => `${pathOf(PATH, id)}/rotate`, options, rotation);
  }

  /** Revokes an API key. It is refused from the next request on. */
  revoke(id: Int64Input<Mode>, options?: CallOptions): Call<void> {
    return this.core.call('DELETE', () => pathOf(PATH, id), options);
  }
}
