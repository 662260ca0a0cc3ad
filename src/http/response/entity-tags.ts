import { type Refusal, refuse } from '../contract/errors.ts';
import { type Conditions, UNCONDITIONAL, unmetCondition } from '../request/conditions.ts';
import { renderExactJson } from '../request/exact-json.ts';

/**
 * Returns the entity tag of a representation (RFC 9110 §8.8), a hash of it: it is strong, needs no column, and
 * changes if and only if the representation changes.
 * @param link the Link header, if it is part of the representation.
 */
export function etagOf(representation: string | Uint8Array<ArrayBuffer>, link?: string): string {
  const hash = Bun.hash(representation);
  return `"${(link === undefined ? hash : Bun.hash(link, hash)).toString(36)}"`;
}

/** Refuses a request one of whose conditions does not hold. */
export const refuseUnmet = (header: 'If-Match' | 'If-None-Match') =>
  refuse(
    'precondition_failed',
    `${header} ${header === 'If-Match' ? 'does not match' : 'matches'} the current resource.`,
  );

/**
 * Checks the conditions of a change against the current resource. Returns the refusal, or undefined if the change is
 * allowed.
 * @param current null if the resource has no tag, undefined if it does not exist. No If-Match is then required, because
 *   there is no tag to name.
 * @param isRequired whether a change without If-Match is refused (RFC 6585 §3).
 */
export function checkPreconditions(
  conditions: Conditions,
  current: unknown,
  isRequired: boolean,
): Refusal<'precondition_failed' | 'precondition_required'> | undefined {
  if (conditions !== UNCONDITIONAL) {
    const tag = current === null || current === undefined ? current : tagOfJson(current);
    const unmet = unmetCondition(conditions, tag);
    if (unmet) return refuseUnmet(unmet);
  }
  const isMissing = isRequired && Boolean(current) && conditions.ifMatch === undefined;
  return isMissing ? refuse('precondition_required') : undefined;
}

/** The tag of a resource, which is rendered only for it. */
export const tagOfJson = (value: unknown): string => etagOf(renderExactJson(value));
