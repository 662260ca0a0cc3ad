import type { WithResponse } from './call.ts';
import { isApiError, UnsupportedError } from './errors.ts';

/** How often a resource is read at most. */
const MAX_EDITS = 5;

interface Editing<T, Patch> {
  read(): Promise<WithResponse<T>>;
  /** Changes the resource if it still has the version `ifMatch`. */
  write(patch: Patch, ifMatch: string): Promise<WithResponse<T>>;
  /** Returns undefined if nothing is to be changed. */
  change(resource: T): Patch | undefined | Promise<Patch | undefined>;
}

/**
 * Reads a resource and changes it. If somebody else changes it in between, starts again.
 * @throws ApiError `precondition_failed` after five attempts, or with `outcomeUnknown` after a lost response. The lost attempt
 *   may have made the change, and another start could make it twice
 */
export async function edit<T, Patch>({
  read,
  write,
  change,
}: Editing<T, Patch>): Promise<WithResponse<T>> {
  for (let edits = 1; ; edits++) {
    const before = await read();
    const patch = await change(before.data);
    const { etag } = before.response;
    if (patch === undefined) return before;
    if (etag === undefined) throw new UnsupportedError('The response has no ETag.');
    try {
      return await write(patch, etag);
    } catch (failure) {
      const isChanged = isApiError(failure, 'precondition_failed') && !failure.outcomeUnknown;
      if (!isChanged || edits === MAX_EDITS) throw failure;
    }
  }
}
