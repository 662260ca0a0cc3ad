import type { EventFilters } from '../events/event-filters.ts';
import type { ListedEvent, StoredEvent } from '../events/event-store.ts';
import { EVENT_TYPES, type EventType } from '../events/event-types.ts';
import type { ListQuery } from '../http/contract/list-query.ts';
import { INT64_MAX, INT64_MIN, type Int64, parseInt64 } from '../int64.ts';

/**
 * Events as stored. Their words are numbers there, which cost less in each row and index. A number never changes, and no other word
 * gets it: stored events have it. A new word gets the next number.
 */

const TYPES: Readonly<Record<EventType, number>> = {
  'pet.created': 1,
  'pet.updated': 2,
  'pet.deleted': 3,
  'pets.imported': 4,
  'order.placed': 5,
  'order.approved': 6,
  'order.delivered': 7,
  'order.cancelled': 8,
  'order.expired': 9,
  'order.returned': 10,
  'order.updated': 11,
  'order.deleted': 12,
  'category.created': 13,
  'category.updated': 14,
  'category.deleted': 15,
  'categories.imported': 16,
  'api_key.created': 17,
  'api_key.rotated': 18,
  'api_key.revoked': 19,
  'webhook_endpoint.disabled': 20,
};

interface Collection {
  readonly code: number;
  /** The subject up to the id of the resource. Without a slash, it is the whole subject. */
  readonly start: string;
  /** The smallest and the largest id that a resource can have. */
  readonly ids: readonly [Int64, Int64];
}

type KindOf<Type> = Type extends `${infer Kind}.${string}` ? Kind : never;

/** By the first part of the types. An event that concerns several resources has the id 0. */
const COLLECTIONS: Readonly<Record<KindOf<EventType>, Collection>> = {
  pet: { code: 1, start: 'pets/', ids: [1, INT64_MAX] },
  order: { code: 2, start: 'orders/', ids: [1, INT64_MAX] },
  category: { code: 3, start: 'categories/', ids: [INT64_MIN, INT64_MAX] },
  api_key: { code: 4, start: 'api-keys/', ids: [1, INT64_MAX] },
  pets: { code: 5, start: 'pets', ids: [0, 0] },
  categories: { code: 6, start: 'categories', ids: [0, 0] },
  webhook_endpoint: { code: 7, start: 'webhook-endpoints/', ids: [1, INT64_MAX] },
};

/** The condition for events that every reader of events may see. Of collections that a later version added, nobody knows who may. */
export const IS_FOR_ALL = `+collection <> ${COLLECTIONS.api_key.code} AND +collection <= ${Object.keys(COLLECTIONS).length}`;

interface Codes {
  readonly type: number;
  readonly collection: number;
}

export const CODES = Object.fromEntries(
  EVENT_TYPES.map((type) => {
    const [kind] = type.split('.') as [KindOf<EventType>];
    return [type, { type: TYPES[type], collection: COLLECTIONS[kind].code }];
  }),
) as Readonly<Record<EventType, Codes>>;

const TYPES_BY_CODE = new Map(EVENT_TYPES.map((type) => [TYPES[type], type]));
const COLLECTIONS_BY_CODE = new Map(Object.values(COLLECTIONS).map((one) => [one.code, one]));

/** What an event happened to, as stored. */
interface CodedSubject {
  readonly collection: number;
  readonly resourceId: Int64;
}

/** An event as its columns have it. */
export interface EventRow extends Omit<StoredEvent, 'type' | 'subject'>, CodedSubject {
  readonly type: number;
}

type CodedEvent = Pick<EventRow, 'type' | 'collection' | 'resourceId'>;

/** The words for the codes. A later version may have added a code. */
export function wordsOf({ type, collection, resourceId }: CodedEvent) {
  const start = COLLECTIONS_BY_CODE.get(collection)?.start ?? `unknown-${collection}/`;
  return {
    type: TYPES_BY_CODE.get(type) ?? `unknown-${type}`,
    subject: start.endsWith('/') ? `${start}${resourceId}` : start,
  };
}

/** An event of a page as its columns have it, with the name of the API key. */
export type ListedRow = EventRow & Pick<ListedEvent, 'keyName'>;

export function toListedEvent(row: ListedRow): ListedEvent {
  const { id, at, keyId, keyName, content } = row;
  return { id, ...wordsOf(row), at, keyId, keyName, content };
}

/** Undefined for a subject that no event can have: its id has more than 64 bits. */
export function parseSubject(subject: string): CodedSubject | undefined {
  const end = subject.indexOf('/') + 1;
  const start = end === 0 ? subject : subject.slice(0, end);
  const collection = Object.values(COLLECTIONS).find((one) => one.start === start);
  const resourceId = end === 0 ? 0 : parseInt64(subject.slice(end));
  if (collection === undefined || resourceId === undefined) return undefined;
  return { collection: collection.code, resourceId };
}

/** The filters of the columns. */
export type EventRowFilters = Partial<CodedSubject> & { readonly type?: readonly number[] };

/** The query of the rows of a list. Undefined if there can be none. */
export function rowQueryOf({
  filters: { subject, type },
  sort,
}: ListQuery<EventFilters>): ListQuery<EventRowFilters> | undefined {
  const coded = subject === undefined ? {} : parseSubject(subject);
  return (
    coded && { filters: { ...coded, ...(type && { type: type.map((one) => TYPES[one]) }) }, sort }
  );
}

/** Why the codes of an event make no sense, as a predicate. Undefined if they do, or if a later version may have added them. */
export function faultIn({ type, collection, resourceId }: CodedEvent): string | undefined {
  const word = TYPES_BY_CODE.get(type);
  const subjects = COLLECTIONS_BY_CODE.get(collection);
  if (word === undefined || subjects === undefined) return undefined;
  if (CODES[word].collection !== collection) return 'has a type of other subjects';
  const [first, last] = subjects.ids;
  if (resourceId < first || resourceId > last) return `has the id ${resourceId}, which none has`;
  return undefined;
}
