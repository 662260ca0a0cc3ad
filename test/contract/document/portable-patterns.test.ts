/** Readers of the document have other dialects of patterns than JavaScript: PCRE, RE2, and those of Java, .NET and Python. */
import { describe, expect, test } from 'bun:test';
import { COMMITTED, DOCUMENT, operationsIn, valuesOf } from '../../support/openapi-document.ts';

/** What all dialects read alike. A hexadecimal escape, `\s`, an escaped point; no other escape, no quotation mark, no look-around. */
const PLAIN = String.raw`[^\\\[\](){}|*+?.^$"]`;
const ESCAPE = String.raw`\\(?:x[0-9a-f]{2}|s|\.)`;
const IN_CLASS = String.raw`(?:[^\\\[\]"^]|${ESCAPE})`;
const ATOM = String.raw`(?:${PLAIN}|${ESCAPE}|\.|\[\^?${IN_CLASS}+\])`;
const QUANTIFIER = String.raw`(?:[*+?]|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\})?`;
const SEQUENCE = `(?:${ATOM}${QUANTIFIER})*`;
const GROUP_WITHIN = new RegExp(
  String.raw`\((?:\?:)?${SEQUENCE}(?:\|${SEQUENCE})*\)${QUANTIFIER}`,
  'u',
);
const WHOLE = new RegExp(String.raw`^\^${SEQUENCE}(?:\|${SEQUENCE})*\$$`, 'u');

/** Replaces the innermost groups by a letter until there is none. */
function isPortable(pattern: string): boolean {
  let rest = pattern;
  while (GROUP_WITHIN.test(rest)) rest = rest.replace(GROUP_WITHIN, 'g');
  return WHOLE.test(rest);
}

const patterns = [
  ...new Set([...valuesOf('pattern', COMMITTED)].map(([pattern]) => pattern)),
].filter((pattern) => typeof pattern === 'string');

describe('a pattern of the document', () => {
  test.each(patterns)('%j has only constructs that all dialects share', (pattern) => {
    expect(isPortable(pattern)).toBe(true);
    for (const flags of ['', 'u']) expect(() => new RegExp(pattern, flags)).not.toThrow();
  });

  test('is on no header', () => {
    const headers = operationsIn(DOCUMENT).flatMap(({ parameters = [], responses }) => [
      ...parameters.filter((parameter) => parameter.in === 'header'),
      ...Object.values(responses).map((response) => response.headers ?? {}),
    ]);
    const { components } = DOCUMENT;
    for (const part of [...headers, components.headers])
      expect([...valuesOf('pattern', part)]).toEqual([]);
    expect(headers.length).toBeGreaterThan(100);
  });

  test('stands in the file without the characters that turn the direction of text', async () => {
    expect(await Bun.file('openapi.json').text()).not.toMatch(
      /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/,
    );
    expect(patterns.some((pattern) => pattern.includes('\u202a'))).toBe(true);
  });
});
