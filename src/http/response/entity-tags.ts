import { type Refusal, refuse } from '../contract/errors.ts';

/**
 * Entity tags and preconditions (RFC 9110 §8.8, §13). A tag is a hash of the representation: it
 * is strong, needs no column, and changes if and only if the representation changes.
 */
export const etagOf = (representation: string | Uint8Array<ArrayBuffer>): string =>
  `"${Bun.hash(representation).toString(36)}"`;

/** Whether an If-None-Match header names the representation (weak comparison). */
export function matchesTag(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsIn(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

/**
 * Compares an If-Match header with the current representation (strong comparison, so a weak tag
 * never matches). Returns the refusal, or undefined if the change is allowed.
 * @param representation undefined if the resource does not exist: then no If-Match matches, not
 *   even `*`, and none is required, since there is no tag to name.
 * @param required whether a change without the header is refused (RFC 6585 §3).
 */
export function checkIfMatch(
  header: string | null,
  representation: string | undefined,
  required: boolean,
): Refusal<'precondition_failed' | 'precondition_required'> | undefined {
  if (representation === undefined)
    return header === null ? undefined : refuse('precondition_failed');
  if (header === null) return required ? refuse('precondition_required') : undefined;
  const matches = header.trim() === '*' || tagsIn(header).includes(etagOf(representation));
  return matches ? undefined : refuse('precondition_failed');
}

const tagsIn = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? [];
