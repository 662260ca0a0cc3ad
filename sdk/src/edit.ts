import type { WithResponse } from './call.ts';
import { isApiError, UnsupportedError } from './errors.ts';

/** How often `edit` reads the resource at most. */
const MAX_EDITS = 5;

interface Editing<T extends object, Patch extends object> {
  read(): Promise<WithResponse<T>>;
  /** Changes the resource if it still has the version `ifMatch`. */
  write(patch: Patch, ifMatch: string): Promise<WithResponse<T>>;
  /** Returns undefined if nothing is to be changed. */
  change(resource: T): Patch | undefined | Promise<Patch | undefined>;
}

/**
 * Reads a resource and changes it. If somebody else changes it in between, starts again.
 * @throws ApiError `precondition_failed` after five attempts
 */
export async function edit<T extends object, Patch extends object>(
  editing: Editing<T, Patch>,
): Promise<WithResponse<T>> {
  for (let edits = 1; edits < MAX_EDITS; edits++) {
    try {
      return await editOnce(editing);
    } catch (failure) {
      if (!isApiError(failure, 'precondition_failed') || failure.outcomeUnknown) throw failure;
    }
  }
  return editOnce(editing);
}

async function editOnce<T extends object, Patch extends object>({
  read,
  write,
  change,
}: Editing<T, Patch>): Promise<WithResponse<T>> {
  const before = await read();
  const patch = await change(before.data);
  if (patch === undefined) return before;
  const { etag } = before.response;
  if (etag === undefined) throw new UnsupportedError('The response has no ETag.');
  try {
    return await write(patch, etag);
  } catch (failure) {
    if (!isApiError(failure, 'precondition_failed') || !failure.outcomeUnknown) throw failure;
    // The lost response may be that of this change. To call `change` again could make it twice.
    const after = await read();
    if (isSame(after.data, { ...before.data, ...patch })) return after;
    throw failure;
  }
}

/** Whether a resource has exactly these fields. A field that is null in a patch is absent. */
const isSame = (resource: object, patched: object): boolean =>
  fieldsText(resource) === fieldsText(patched);

const fieldsText = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
