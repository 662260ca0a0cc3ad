/** The SDK reads and writes JSON exactly, with and without the help of the platform. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Int64Mode, int64Digits, parseJson, renderJson } from '../../sdk/src/int64.ts';
import { run } from './packages.ts';
import { WITHOUT_SOURCE_TEXT } from './platforms.ts';

const MODES: readonly Int64Mode[] = ['auto', 'bigint', 'string'];
const LIMITS = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '-1'];
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

/** Whether the platform helps. Without it the SDK parses and renders itself. */
const PATHS = [
  ['with the help of the platform', true],
  ['without the help of the platform', false],
] as const;

const render = (value: unknown, isNative: boolean): string =>
  isNative ? renderJson(value) : renderJson(value, null);

/** Text that is nearly JSON. */
const nearlyJson = fc
  .array(
    fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u0022', '\\\\"', ' ', '\n', '\u2028', '-'],
      ...['0', '-0', '12', '1.5', '1e3', '01', '1.', 'true', 'null', 'nul', '"a"', '"__proto__"'],
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** A value, or undefined where the parser throws a SyntaxError. */
function outcome(parse: () => unknown): { value: unknown } | undefined {
  try {
    return { value: parse() };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return undefined;
  }
}

/** A value as JSON.parse would return it. */
function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]));
}

test('the platform of the tests helps, and one that does not is found out', async () => {
  expect(JSON).toHaveProperty('rawJSON');
  const program = `${WITHOUT_SOURCE_TEXT}
    const { parseJson, renderJson } = await import('./sdk/src/int64.ts');
    console.log(renderJson(parseJson('{"id":9223372036854775807}')));`;
  expect(await run([process.execPath, '-e', program])).toBe('{"id":9223372036854775807}\n');
});

describe.each(PATHS)('%s', (_name, isNative) => {
  test('a text has the value of JSON.parse, except that large integers are not rounded', () => {
    const texts = fc.oneof(
      nearlyJson,
      fc.json(),
      fc.json().map((text) => text.slice(1)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        // In this mode no field is converted, and 17 digits would take the exact path.
        const padded = `[${text},"0000000000000000"]`;
        const expected = outcome(() => JSON.parse(padded));
        const actual = outcome(() => rounded(parseJson(padded, 'auto', isNative)));
        expect(actual).toStrictEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test('whitespace, duplicate keys, integer keys and __proto__ are as in JSON.parse', () => {
    const text =
      '\r\n\t {"b":1,"1":[ ],"a":{"__proto__":{"x":"\\"}\\\\"}},"b":-0,"0":"0000000000000000"} ';
    const value = parseJson(text, 'auto', isNative);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.is((value as { b: number }).b, -0)).toBeTrue();
  });

  test('each 64-bit integer is exact in each representation', () => {
    fc.assert(
      fc.property(int64, (id) => {
        const parse = (mode: Int64Mode) => parseJson(`{"id":${id},"x":[1.5]}`, mode, isNative);
        const isSafe = Number.isSafeInteger(Number(id)) && BigInt(Number(id)) === id;
        expect(parse('auto')).toStrictEqual({ id: isSafe ? Number(id) : id, x: [1.5] });
        if (isSafe) expect(parse('number')).toStrictEqual({ id: Number(id), x: [1.5] });
        else expect(() => parse('number')).toThrow(`id: ${id} is not a safe integer. Use int64:`);
        expect(parse('bigint')).toStrictEqual({ id, x: [1.5] });
        expect(parse('string')).toStrictEqual({ id: String(id), x: [1.5] });
      }),
    );
  });

  test('a value returns from text to the same text', () => {
    for (const mode of MODES) {
      for (const digits of LIMITS) {
        const text = `{"id":${digits},"name":"${digits}","list":[{"categoryId":${digits}}]}`;
        expect(render(parseJson(text, mode, isNative), isNative)).toBe(text);
      }
    }
  });

  test('an event has a text and integers under one name, and each stays what it is', () => {
    const parse = (mode: Int64Mode) =>
      parseJson(
        '{"id":"5f0c9a17-41","data":{"id":9223372036854775807,"count":9,"firstId":-9,"lastId":9}}',
        mode,
        isNative,
      );
    const id = 2n ** 63n - 1n;
    const event = (data: object) => ({ id: '5f0c9a17-41', data: { count: 9, ...data } });
    expect(parse('auto')).toEqual(event({ id, firstId: -9, lastId: 9 }));
    expect(parse('bigint')).toEqual(event({ id, firstId: -9n, lastId: 9n }));
    expect(parse('string')).toEqual(event({ id: `${id}`, firstId: '-9', lastId: '9' }));
    expect(() => parse('number')).toThrow(`id: ${id} is not a safe integer`);
    for (const mode of MODES)
      expect(render(parse(mode), isNative)).toBe(
        `{"id":"5f0c9a17-41","data":{"id":${id},"count":9,"firstId":-9,"lastId":9}}`,
      );
  });

  test('numbers that are no ids stay numbers, unless they are too large', () => {
    const text = '{"available":3,"other":9007199254740993,"ratio":1e300,"small":1.25}';
    const parse = (mode: Int64Mode) => parseJson(text, mode, isNative);
    const rest = { available: 3, ratio: 1e300, small: 1.25 };
    expect(parse('auto')).toStrictEqual({ ...rest, other: 9007199254740993n });
    expect(() => parse('number')).toThrow(RangeError);
    expect(parse('bigint')).toStrictEqual({ ...rest, other: 9007199254740993n });
    expect(parse('string')).toStrictEqual({ ...rest, other: '9007199254740993' });
  });

  test('values are rendered as by JSON.stringify', () => {
    const value = fc
      .jsonValue()
      .filter((it) => !/"(?:id|categoryId|petId)":/.test(JSON.stringify(it)));
    fc.assert(fc.property(value, (it) => expect(render(it, isNative)).toBe(JSON.stringify(it))));
    const special = { date: new Date(0), none: undefined, list: [undefined, null], f() {} };
    expect(render(special, isNative)).toBe(JSON.stringify(special));
  });

  test.each([2 ** 53, 1.5, Number.NaN, 'x', '01', '1e3', ''])('an id of %p is refused', (id) => {
    expect(() => render({ id }, isNative)).toThrow(TypeError);
    expect(() => int64Digits(id, 'id')).toThrow(TypeError);
  });

  test('the message shows a text in quotes, and names bigint only for numbers', () => {
    expect(() => int64Digits('', 'id')).toThrow(/^id: "" is not a 64-bit integer in digits\.$/);
    expect(() => int64Digits(1.5, 'id')).toThrow(
      /^id: 1\.5 is not an exact integer\. Use a bigint/,
    );
  });
});
