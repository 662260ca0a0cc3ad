import { type Refusal, refuse } from '../contract/errors.ts';

/**
 * Entity tags and preconditions (RFC 9110 §8.8, §13). A tag is a hash of the representation: it
 * is strong, costs no column, and changes when and only when the representation does.
 */
export const etagOf = (representation: string): string =>
  `"${Bun.hash(representation).toString(36)}"`;

/** Whether an If-None-Match header names the representation (weak comparison). */
export function matchesTag(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsIn(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

/**
 * Holds an If-Match header against the representation that is there (strong comparison, so a weak
 * tag never matches). Undefined when the change may go on.
 * @param representation undefined where there is none yet: then no If-Match holds, `*` included,
 *   and none is required, since there is no tag to name.
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
