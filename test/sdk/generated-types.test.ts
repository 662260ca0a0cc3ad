/** The generator of the SDK's types follows what OpenAPI documents contain, and refuses what it does not know. */
import { describe, expect, test } from 'bun:test';
import { sdkTypes } from '../../scripts/sdk-types.ts';
import type { ReadDocument } from '../../src/http/document/read-document.ts';

/** A document with one operation that returns the schema `Thing`. */
function documentWith(thing: object, parts: { schemas?: object; operation?: object } = {}) {
  const document = {
    components: {
      schemas: { Thing: thing, ...parts.schemas },
      parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
      responses: { Ok: { content: { json: { schema: { $ref: '#/components/schemas/Thing' } } } } },
    },
    paths: {
      '/things': {
        parameters: [],
        get: {
          operationId: 'getThing',
          responses: { 200: { $ref: '#/components/responses/Ok' } },
          ...parts.operation,
        },
      },
    },
  };
  return document as unknown as ReadDocument;
}

const field = (schema: object, schemas = {}) =>
  /readonly x\?: (.*);/.exec(
    sdkTypes(documentWith(object({ x: schema }), { schemas }), ['a_code']),
  )?.[1];

const object = (properties: object) => ({ type: 'object', properties });
const map = (additionalProperties: unknown) => ({ type: 'object', additionalProperties });
const int64 = { type: 'integer', format: 'int64' };

const NAMED = { Named: { type: 'string', enum: ['a', 'b'] } };
const named = { $ref: '#/components/schemas/Named' };

describe('a schema becomes a type', () => {
  test.each([
    [{ type: 'string', format: 'date-time', minLength: 1 }, 'string'],
    [{ type: 'integer' }, 'number'],
    [int64, 'Id'],
    [{ ...int64, minimum: 1, maximum: 2 ** 53 - 1 }, 'Id'],
    [{ ...int64, minimum: 0, maximum: 2 ** 63 }, 'Id'],
    [{ ...int64, minimum: 0, maximum: 2 ** 53 - 1 }, 'number'],
    [{ type: ['integer', 'null'], format: 'int64' }, 'Id | null'],
    [{ type: ['string', 'null'], enum: ['a', null] }, "'a' | null"],
    [{ const: 'a' }, "'a'"],
    [{ enum: ["it's", 1, true] }, "'it\\'s' | 1 | true"],
    [named, 'Named'],
    [{ anyOf: [named, { type: 'null' }] }, 'Named | null'],
    [{ allOf: [named, { description: 'Explained.' }] }, 'Named'],
    [{ anyOf: [NAMED.Named, { type: 'string' }] }, "'a' | 'b' | (string & {})"],
    [{ type: 'array', items: { anyOf: [named, { type: 'null' }] } }, 'readonly (Named | null)[]'],
    [{ type: 'array', items: named, 'x-stability': 'beta' }, 'readonly Named[]'],
    [map({ type: 'integer' }), 'Readonly<Record<string, number>>'],
    [map(true), 'Readonly<Record<string, unknown>>'],
    [object({}), 'Readonly<Record<string, never>>'],
    [{ ...object({}), ...map(true) }, 'Readonly<Record<string, unknown>>'],
  ])('%j', (schema, type) => {
    expect(field(schema, NAMED)).toBe(type);
  });

  test('a type that contains 64-bit integers at any depth has a parameter', () => {
    const schemas = { Inner: object({ petId: int64 }) };
    const list = { type: 'array', items: { $ref: '#/components/schemas/Inner' } };
    const text = sdkTypes(documentWith(object({ list }), { schemas }), []);
    expect(text).toContain('export interface Thing<Id = number | bigint> {');
    expect(text).toContain('readonly list?: readonly Inner<Id>[];');
    expect(text).toContain("INT64_FIELDS: readonly string[] = ['petId']");
  });

  test('a body without a name is named after its operation, and parameters may be references', () => {
    const schema = { ...object({ sum: { type: 'number' } }), required: ['sum'] };
    const operation = {
      parameters: [{ $ref: '#/components/parameters/Limit' }],
      responses: { 200: { content: { json: { schema } } } },
    };
    const text = sdkTypes(documentWith({}, { operation }), []);
    expect(text).toContain('export interface GetThingResult {\n  readonly sum: number;\n}');
    expect(text).toContain(
      'export interface GetThingQuery {\n  readonly limit?: number | undefined;\n}',
    );
  });

  test('a text of a response may have the name of a 64-bit integer, which is parsed from numbers only', () => {
    const properties = { id: { type: ['string', 'null'] }, data: object({ id: int64 }) };
    const text = sdkTypes(documentWith(object(properties)), []);
    expect(text).toContain('readonly id?: string | null;');
    expect(text).toContain("INT64_FIELDS: readonly string[] = ['id']");
  });

  test('an object can have fields and others', () => {
    const open = { ...object({ id: int64 }), additionalProperties: true };
    expect(sdkTypes(documentWith(open), [])).toContain(
      'export type Thing<Id = number | bigint> = Readonly<Record<string, unknown>> & {\n  readonly id?: Id;\n};',
    );
  });

  test('a parameter that is a 64-bit integer is rendered exactly', () => {
    const parameters = [{ name: 'petId', in: 'query', schema: { type: 'array', items: int64 } }];
    const text = sdkTypes(documentWith({ type: 'string' }, { operation: { parameters } }), []);
    expect(text).toContain("INT64_FIELDS: readonly string[] = ['petId']");
  });

  test('a schema that refers to itself is declared once', () => {
    const self = object({ child: { $ref: '#/components/schemas/Thing' } });
    expect(sdkTypes(documentWith(self), []).match(/interface Thing/g)).toHaveLength(1);
  });
});

describe('a document is refused', () => {
  test.each<[string, object, RegExp]>([
    ['an unknown keyword', { type: 'string', not: {} }, /Thing\.x: unknown keywords not/],
    ['an unknown type', { type: 'file' }, /unknown type file/],
    ['no type', {}, /unknown type undefined/],
    ['an object without fields', { type: 'object' }, /without fields/],
    ['an empty object', { type: 'object', additionalProperties: false }, /without fields/],
    ['int64 of any name', { type: 'object', additionalProperties: int64 }, /without a name/],
    ['an array without items', { type: 'array' }, /without items/],
    ['a reference to nothing', named, /There is no schema Named/],
    ['a number with the name of an int64', object({ id: { type: 'number' } }), /differs in being/],
    ['a text or an int64', { anyOf: [int64, { type: 'string' }] }, /cannot be told apart/],
    ['an array of int64 in a body', { type: 'array', items: int64 }, /without a name/],
  ])('for %s', (_name, x, message) => {
    for (const id of [int64, { anyOf: [{ $ref: '#/components/schemas/Id' }] }]) {
      const document = documentWith(object({ id, x }), { schemas: { Id: int64 } });
      expect(() => sdkTypes(document, [])).toThrow(message);
    }
  });

  test('for fields beside others of one type', () => {
    const thing = { ...object({ id: int64 }), additionalProperties: { type: 'string' } };
    expect(() => sdkTypes(documentWith(thing), [])).toThrow(/both fields and others/);
  });

  const text = { type: 'string' };
  test.each<[string, object]>([
    ['body', { requestBody: { content: { json: { schema: object({ id: text }) } } } }],
    ['query', { parameters: [{ name: 'id', in: 'query', schema: text }] }],
  ])('for a text of a %s that would be rendered as a 64-bit integer', (_place, operation) => {
    const document = documentWith(object({ id: int64 }), { operation });
    expect(() => sdkTypes(document, [])).toThrow(/differs in being a 64-bit integer/);
  });
});
