/** Stored events have numbers for words: a number never changes, and one that this version does not know hides no event. */
import { expect, test } from 'bun:test';
import { EVENT_FILTERS } from '../../src/events/event-filters.ts';
import { EVENT_TYPES } from '../../src/events/event-types.ts';
import { INT64_MAX, INT64_MIN } from '../../src/int64.ts';
import { CODES, faultIn, parseSubject, rowQueryOf, wordsOf } from '../../src/storage/event-rows.ts';

// Add new ones at the end. A database has the others.
const TYPES_IN_ORDER = [
  'pet.created of pets/7',
  'pet.updated of pets/7',
  'pet.deleted of pets/7',
  'pets.imported of pets',
  'order.placed of orders/7',
  'order.approved of orders/7',
  'order.delivered of orders/7',
  'order.cancelled of orders/7',
  'order.expired of orders/7',
  'order.returned of orders/7',
  'order.updated of orders/7',
  'order.deleted of orders/7',
  'category.created of categories/7',
  'category.updated of categories/7',
  'category.deleted of categories/7',
  'categories.imported of categories',
  'api_key.created of api-keys/7',
  'api_key.rotated of api-keys/7',
  'api_key.revoked of api-keys/7',
  'webhook_endpoint.disabled of webhook-endpoints/7',
];
const COLLECTIONS_IN_ORDER = [
  ...['pets/', 'orders/', 'categories/', 'api-keys/', 'pets', 'categories', 'webhook-endpoints/'],
];

test('each type and collection has its number, which never changes', () => {
  const codes = Object.values(CODES).toSorted((a, b) => a.type - b.type);
  expect(codes.map(({ type }) => type)).toEqual(TYPES_IN_ORDER.map((_type, index) => index + 1));
  const words = codes.map((code) => wordsOf({ ...code, resourceId: 7 }));
  expect(words.map(({ type, subject }) => `${type} of ${subject}`)).toEqual(TYPES_IN_ORDER);
  expect(Object.keys(CODES).sort()).toEqual([...EVENT_TYPES].sort());
  const starts = COLLECTIONS_IN_ORDER.map(
    (_start, index) => wordsOf({ type: 1, collection: index + 1, resourceId: 7 }).subject,
  );
  expect(starts.map((subject) => subject.replace('7', ''))).toEqual(COLLECTIONS_IN_ORDER);
});

test('each subject that a client can ask for is found under the codes of its events', () => {
  for (const start of COLLECTIONS_IN_ORDER)
    for (const id of start.endsWith('/') ? [0, 1, 42, INT64_MIN, INT64_MAX] : ['']) {
      const subject = `${start}${id}`;
      if (!EVENT_FILTERS.subject.safeParse(subject).success) continue;
      const codes = parseSubject(subject) ?? { collection: 0, resourceId: 0 };
      expect(wordsOf({ type: 1, ...codes }).subject).toBe(subject);
    }
  const filters = { subject: 'pets/9223372036854775808' };
  expect(EVENT_FILTERS.subject.safeParse(filters.subject).success).toBe(true);
  expect(rowQueryOf({ filters, sort: 'id' })).toBeUndefined();
});

test('an event of a later version has words, too', () => {
  const event = { type: 99, collection: 9, resourceId: 7 };
  expect(wordsOf(event)).toEqual({ type: 'unknown-99', subject: 'unknown-9/7' });
  expect(faultIn(event)).toBeUndefined();
});
