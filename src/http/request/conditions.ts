/** The conditions of requests on entity tags (RFC 9110 §13.1, §13.2). One rule holds for all methods and paths. */

/** Any representation, or those with one of these tags, as they were sent. */
type TagList = '*' | readonly string[];

export interface Conditions {
  readonly ifMatch: TagList | undefined;
  readonly ifNoneMatch: TagList | undefined;
}

/** Of most requests. */
export const UNCONDITIONAL: Conditions = { ifMatch: undefined, ifNoneMatch: undefined };

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** A list may be empty, or have empty members (RFC 9110 §5.6.1). */
const TAGS = new RegExp(`^(?:[ \\t,]*${TAG.source}[ \\t]*(?=,|$))*[ \\t,]*$`);

/** Reads the conditions of a request. Returns undefined if a header is neither `*` nor a list of entity tags. */
export function readConditions(headers: Headers): Conditions | undefined {
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  if (ifMatch === null && ifNoneMatch === null) return UNCONDITIONAL;
  const conditions = { ifMatch: readTags(ifMatch), ifNoneMatch: readTags(ifNoneMatch) };
  const isMalformed =
    (ifMatch !== null && conditions.ifMatch === undefined) ||
    (ifNoneMatch !== null && conditions.ifNoneMatch === undefined);
  return isMalformed ? undefined : conditions;
}

function readTags(header: string | null): TagList | undefined {
  const list = header?.trim();
  if (list === '*') return list;
  return list !== undefined && TAGS.test(list) ? (list.match(TAG) ?? []) : undefined;
}

/**
 * The first condition that does not hold, in the order of RFC 9110 §13.2.2. Undefined if all hold.
 * @param etag the strong tag of the current representation. Null: it has none, and only `*` matches it. Undefined:
 *   there is no representation, which not even `*` matches.
 */
export function unmetCondition(
  { ifMatch, ifNoneMatch }: Conditions,
  etag: string | null | undefined,
): 'If-Match' | 'If-None-Match' | undefined {
  const names = (tags: TagList, comparable: (tag: string) => string) =>
    etag !== undefined && (tags === '*' || tags.some((tag) => comparable(tag) === etag));
  // The strong comparison: a weak tag never matches.
  if (ifMatch !== undefined && !names(ifMatch, (tag) => tag)) return 'If-Match';
  const isNamed = ifNoneMatch !== undefined && names(ifNoneMatch, (tag) => tag.replace(/^W\//, ''));
  return isNamed ? 'If-None-Match' : undefined;
}
