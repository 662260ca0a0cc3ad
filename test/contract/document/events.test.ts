/** The document says what each type of event contains, and generators can read it. */
import { expect, test } from 'bun:test';
import { EVENT_TYPES } from '../../../src/events/event-types.ts';
import type { Schema } from '../../../src/http/document/read-document.ts';
import { COMMITTED, DOCUMENT, targetOf, valuesOf } from '../../support/openapi-document.ts';

const events = DOCUMENT.components.schemas['StoreEvent'];
const kinds = (events?.oneOf ?? []).map(({ $ref = '' }) => targetOf(COMMITTED, $ref) as Schema);

test('each type of event belongs to one schema, with its data', () => {
  const types = kinds.flatMap((schema) => schema.properties?.['type']?.enum ?? []);
  expect(types.toSorted()).toEqual(EVENT_TYPES.toSorted());
  for (const schema of kinds) {
    const data = schema.properties?.['data'] ?? {};
    const { properties } = data.$ref ? (targetOf(COMMITTED, data.$ref) as Schema) : data;
    expect(Object.keys(properties ?? {}).length).toBeGreaterThan(1);
    expect(schema.required).toContain('data');
  }
});

test.each([
  ['Pet', 'An animal of the catalogue.'],
  ['Order', 'An order for one animal.'],
  ['Category', 'The record of a category.'],
])('the schema %s is of the resource, whatever an event says of its data', (name, description) => {
  expect(DOCUMENT.components.schemas[name]?.description).toBe(description);
});

test('there is no discriminator: some generators keep only the last type that it maps to a schema', () => {
  expect(events).not.toHaveProperty('discriminator');
});

test('says what a reader does with a type of a later version', () => {
  expect(events?.description).toContain('ignore an event whose type you do not know');
});

test('nothing is one of some words or any text: some generators cannot read that', () => {
  for (const key of ['anyOf', 'oneOf'])
    for (const [options] of valuesOf(key, COMMITTED)) {
      const all = options as readonly Schema[];
      const isOpen = all.some(({ type, enum: words }) => type === 'string' && words === undefined);
      expect(isOpen && all.some(({ enum: words }) => words !== undefined)).toBe(false);
    }
});
