/** Exact JSON: at least as strict as JSON.parse, and without rounding. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  InvalidJson,
  NotAnInt64,
  parseExactJson,
  parseExactJsonElements,
  renderExactJson,
} from '../../../src/http/request/exact-json.ts';
import { anyInt64 } from '../../support/arbitraries.ts';

/** The result of JSON.parse, or undefined if it throws. */
function parsePlain(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The same value with every number rounded as by JSON.parse. */
function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof NotAnInt64) return Number(value.source);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]));
}

const noMinusZero = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, part) => (Object.is(part, -0) ? 0 : part));

describe('parseExactJson', () => {
  test('agrees with JSON.parse on any JSON, except for rounding', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 8 }),
        fc.constantFrom(undefined, 1, '\t', '\r'),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(noMinusZero(rounded(parseExactJson(text)))).toEqual(noMinusZero(value));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('throws InvalidJson for any text that JSON.parse rejects', () => {
    const mangled = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', '\\', '0', '-', '.', 'e', '\u0001', 'tru'),
      )
      .map(([text, at, insert]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + insert + text.slice(cut + (at % 2));
      });
    fc.assert(
      fc.property(fc.oneof(mangled, fc.string()), (text) => {
        if (parsePlain(text) !== undefined) return;
        expect(() => parseExactJson(text)).toThrow(InvalidJson);
      }),
      { numRuns: 1_000 },
    );
  });

  test('parses any int64 exactly, and renderExactJson returns the same digits', () => {
    expect(parseExactJson('-0')).toBe(0);
    fc.assert(
      fc.property(anyInt64, (value) => {
        expect(parseExactJson(String(value))).toBe(value);
        expect(renderExactJson({ value: [value] })).toBe(`{"value":[${value}]}`);
      }),
    );
  });

  test('returns the source text of a number that is not an int64', () => {
    for (const source of ['1.5', '1e400', '-1E-7', '9223372036854775808']) {
      expect(parseExactJson(source)).toEqual(new NotAnInt64(source));
    }
  });

  test('treats __proto__ like any other key', () => {
    const parsed = parseExactJson('{"__proto__":{"polluted":1}}');
    expect(Object.keys(parsed as object)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });

  test('reports position and reason', () => {
    expect(() => parseExactJson('{"a":1,"a":2}')).toThrow(
      'at character 11: duplicate key "a" in an object.',
    );
    expect(() => parseExactJson('[1,]')).toThrow('at character 4: expected a JSON value.');
    expect(() => parseExactJson('"abc')).toThrow('at character 1: a string is not terminated.');
  });

  test('takes linear time', () => {
    // Worst cases for a parser that backtracks: quadratic time would exceed the limit of this test.
    const [strings, elements] = ['\\"'.repeat(300_000), '"\\\\",'.repeat(100_000)];
    const worstCases = [`"${strings}`, `[${elements}`, `1${'0'.repeat(500_000)}1e-9]`];
    for (const text of worstCases) expect(() => parseExactJson(text)).toThrow(InvalidJson);
  });
});

test('parseExactJsonElements yields the elements of an array with their offsets', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const text = JSON.stringify(values, null, 2);
      const elements = [...parseExactJsonElements(text)];
      expect(elements.map(({ value }) => value)).toEqual(parseExactJson(text) as never);
      for (const { offset } of elements) expect(text.slice(offset - 2, offset)).toBe('  ');
    }),
  );
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect([...parseExactJsonElements(nested(64))]).toHaveLength(1);
  expect(() => [...parseExactJsonElements(nested(65))]).toThrow('nesting deeper than 64');
});
