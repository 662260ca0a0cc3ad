import { type Refusal, refuse } from '../contract/errors.ts';
import { renderExactJson } from '../request/exact-json.ts';

/**
 * Entity tags and preconditions (RFC 9110 §8.8, §13). A tag is a hash of the representation: it
 * is strong, needs no column, and changes if and only if the representation changes.
 * @param link the Link header, if it is part of the representation.
 */
export function etagOf(
  representation: string | Uint8Array<ArrayBuffer>,
  link: string | undefined = undefined,
): string {
  const hash = Bun.hash(representation);
  return `"${(link === undefined ? hash : Bun.hash(link, hash)).toString(36)}"`;
}

/**
 * Whether an If-None-Match header names an existing representation (weak comparison). A `*` counts in a list, too, where
 * the grammar has none: the client meant to exclude every representation.
 */
export const matchesTag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.replaceAll(TAG, '').includes('*') ||
  tagsIn(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag);

/** Whether an If-Match header names it (strong comparison: a weak tag never matches). */
const matchesStrongly = (ifMatch: string, etag: string): boolean =>
  ifMatch.trim() === '*' || tagsIn(ifMatch).includes(etag);

const TAG = /(?:W\/)?"[^"]*"/g;
const tagsIn = (header: string): string[] => header.match(TAG) ?? [];

/**
 * Checks the preconditions of a change against the current resource, in the order of RFC 9110
 * §13.2.2. Returns the refusal, or undefined if the change is allowed.
 * @param current undefined if the resource does not exist. Then no If-Match matches, not even `*`. Every
 *   If-None-Match holds. No If-Match is required, because there is no tag to name.
 * @param isRequired whether a change without If-Match is refused (RFC 6585 §3).
 */
export function checkPreconditions(
  headers: Headers,
  current: unknown,
  isRequired: boolean,
): Refusal<'precondition_failed' | 'precondition_required'> | undefined {
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  if (current === undefined) return ifMatch === null ? undefined : refuseMatch();
  if (ifMatch !== null || ifNoneMatch !== null) {
    const etag = etagOf(renderExactJson(current));
    if (ifMatch !== null && !matchesStrongly(ifMatch, etag)) return refuseMatch();
    if (ifNoneMatch !== null && matchesTag(ifNoneMatch, etag)) return refuseNoneMatch();
  }
  return ifMatch === null && isRequired ? refuse('precondition_required') : undefined;
}

const refuseMatch = () =>
  refuse('precondition_failed', 'If-Match does not match the current resource.');
const refuseNoneMatch = () =>
  refuse('precondition_failed', 'If-None-Match matches the current resource.');
