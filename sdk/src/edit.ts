import { waitFor } from './attempt.ts';
import type { Call, WithResponse } from './call.ts';
import { isApiError, UnsupportedError } from './errors.ts';
import type { CallOptions, ChangeOptions } from './options.ts';

/** How often a resource is read at most. */
const MAX_EDITS = 5;

interface Editable<Id, T, Patch> {
  get(id: Id, options?: CallOptions): Call<T>;
  update(id: Id, patch: Patch, options?: ChangeOptions): Call<T>;
}

/**
 * Reads a resource and changes it. If somebody else changes it in between, starts again.
 * @param change returns undefined if nothing is to be changed
 * @throws ApiError `precondition_failed` after five attempts, or with `outcomeUnknown` after a lost response. The lost attempt
 *   may have made the change, and another start could make it twice
 */
export async function edit<Id, T, Patch>(
  resources: Editable<Id, T, Patch>,
  id: Id,
  change: (resource: T) => Patch | undefined | Promise<Patch | undefined>,
  options: CallOptions = {},
): Promise<WithResponse<T>> {
  for (let edits = 1; ; edits++) {
    const before = await resources.get(id, options).withResponse();
    const patch = await waitFor(async () => change(before.data), { signal: options.signal });
    const { etag } = before.response;
    if (patch === undefined) return before;
    if (etag === undefined) throw new UnsupportedError('The response has no ETag.');
    try {
      return await resources.update(id, patch, { ...options, ifMatch: etag }).withResponse();
    } catch (failure) {
      const isChanged = isApiError(failure, 'precondition_failed') && !failure.outcomeUnknown;
      if (!isChanged || edits === MAX_EDITS) throw failure;
    }
  }
}
