/** The document contains each part once, and says exactly what a value may be. */
import { describe, expect, test } from 'bun:test';
import committed from '../../../openapi.json' with { type: 'json' };
import { operationsOf } from '../../../src/app.ts';
import { openApiDocument } from '../../../src/http/document/openapi.ts';
import { parseExactJson, renderExactJson } from '../../../src/http/request/exact-json.ts';
import {
  COMMITTED,
  DOCUMENT,
  operationsIn,
  targetOf,
  valuesOf,
} from '../../support/openapi-document.ts';
import { BASE_URLS } from '../../support/service.ts';

const generate = (extensions: boolean): object =>
  parseExactJson(
    renderExactJson(openApiDocument(operationsOf(extensions), BASE_URLS, extensions)),
  ) as object;

const MAX_BYTES_PER_OPERATION = 5_250;

/** What stands in the operations themselves: references, and parts that only one operation has. */
const unresolved = Object.values(committed.paths).flatMap((item): Written[] => Object.values(item));

interface Written {
  readonly parameters?: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}

test(`the document has at most ${MAX_BYTES_PER_OPERATION} bytes per operation`, () => {
  const bytes = Buffer.byteLength(renderExactJson(generate(true)));
  expect(bytes / operationsIn(DOCUMENT).length).toBeLessThanOrEqual(MAX_BYTES_PER_OPERATION);
});

describe.each([
  ['the document', COMMITTED],
  ['the document without extensions', generate(false)],
] as const)('%s', (_title, document) => {
  const references = [...valuesOf('$ref', document)].map(([reference]) => String(reference));

  test('has a target for each $ref', () => {
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      expect(reference).toStartWith('#/components/');
      expect(targetOf(document, reference)).toBeObject();
    }
  });

  test('uses each component, and has no empty group', () => {
    const { components } = document as { components: Record<string, object> };
    for (const [kind, group] of Object.entries(components)) {
      expect(group).not.toBeEmptyObject();
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(group))
        expect(references).toContain(`#/components/${kind}/${name}`);
    }
    expect(Object.keys(document).includes('webhooks')).toBe(document === COMMITTED);
  });

  test('has the exact bounds of each 64-bit integer', () => {
    const integers = [...valuesOf('format', document)].filter(([format]) => format === 'int64');
    expect(integers.length).toBeGreaterThan(0);
    for (const [, schema] of integers) {
      expect(schema).toMatchObject({ type: 'integer' });
      const { minimum, maximum } = schema as { minimum: bigint; maximum: bigint };
      expect(BigInt(minimum)).toBeGreaterThanOrEqual(-(2n ** 63n));
      expect([2n ** 63n - 1n, BigInt(Number.MAX_SAFE_INTEGER)]).toContain(BigInt(maximum));
    }
    expect(renderExactJson(document)).toContain(
      '"format":"int64","description":"Identifier of the category the animal belongs to.",' +
        '"minimum":-9223372036854775808,"maximum":9223372036854775807',
    );
  });

  test('tells readers in JavaScript about integers beyond 2^53', () => {
    const { info } = document as { info: { description: string } };
    expect(info.description).toContain('beyond 2^53');
  });
});

describe('the document', () => {
  test.each(['parameters', 'responses'] as const)('spells out no two equal %s', (kind) => {
    const texts = unresolved
      .flatMap((operation) => Object.values(operation[kind] ?? {}))
      .filter((part) => !('$ref' in part))
      .map((part) => JSON.stringify(part));
    expect(texts.length).toBe(new Set(texts).size);
  });

  test('refers to a shared response or parameter from each operation that has it', () => {
    expect(operationsIn(DOCUMENT)).toHaveLength(unresolved.length);
    for (const { responses } of unresolved)
      for (const status of ['401', '429']) expect(responses[status]).toHaveProperty('$ref');
  });

  const { schemas } = committed.components;

  test('has each enumeration of several words once', () => {
    const enumerations = [...valuesOf('enum', committed)].map(([words]) => JSON.stringify(words));
    expect(schemas.Scope.enum).toContain('keys:admin');
    const inSchemas = [...valuesOf('enum', schemas)].map(([words]) => JSON.stringify(words));
    expect(inSchemas.length).toBe(new Set(inSchemas).size);
    for (const words of [schemas.Scope.enum, schemas.PetStatus.enum, schemas.OrderStatus.enum])
      expect(enumerations.filter((text) => text === JSON.stringify(words))).toHaveLength(1);
  });

  test('allows null for the status of a PetPatch in the way that all generators read', () => {
    expect(schemas.PetPatch.properties.status.anyOf as unknown[]).toEqual([
      { $ref: '#/components/schemas/PetStatus' },
      { type: 'null' },
    ]);
  });

  test('has a pattern of names that excludes U+0000 and white space alone', () => {
    const pattern = new RegExp(schemas.NewPet.properties.name.pattern);
    for (const name of ['Rex', ' Rex ', 'R\nx', '🐶', '\u{1F436} x'])
      expect(pattern.test(name)).toBe(true);
    for (const name of ['', ' ', '\n\t', 'R\0x', '\0', '\0Rex'])
      expect(pattern.test(name)).toBe(false);
  });

  test('has a default of query parameters only: some generators make a field with a default required', () => {
    const parts = [
      schemas,
      ...operationsIn(DOCUMENT).flatMap(({ requestBody, responses }) => [requestBody, responses]),
    ];
    expect(parts.flatMap((part) => [...valuesOf('default', part)])).toEqual([]);
    const withDefault = operationsIn(DOCUMENT).flatMap(({ parameters = [] }) =>
      parameters.filter(({ schema }) => schema.default !== undefined),
    );
    expect(new Set(withDefault.map((parameter) => parameter.in))).toEqual(new Set(['query']));
  });

  test('describes the preference and what the response says about it', () => {
    for (const { parameters = [], responses } of operationsIn(DOCUMENT)) {
      expect(parameters.find(({ name }) => name === 'Prefer')).toMatchObject({ in: 'header' });
      for (const [status, { headers }] of Object.entries(responses))
        expect('Preference-Applied' in (headers ?? {})).toBe(!['401', '429'].includes(status));
    }
  });
});
