/**
 * Exact 64-bit integers in JSON. `JSON.parse` alone rounds integers beyond ±(2^53 − 1) silently, and
 * `JSON.stringify` refuses a bigint.
 */
import { INT64_FIELDS } from './generated.ts';

/** A signed 64-bit integer: a number if it is a safe integer, otherwise a bigint. */
export type Int64 = number | bigint;

/**
 * How a client represents 64-bit integers of responses. `auto`: a number if it is safe, otherwise a bigint. `number`: a number,
 * and a response with an unsafe integer is refused. `bigint`: a bigint. `string`: decimal digits.
 */
export type Int64Mode = 'auto' | 'number' | 'bigint' | 'string';

/** The type of a 64-bit integer in a response. */
export type Int64Output<Mode extends Int64Mode> = {
  auto: Int64;
  number: number;
  bigint: bigint;
  string: string;
}[Mode];

/** The type of a 64-bit integer in a request. */
export type Int64Input<Mode extends Int64Mode> = Int64 | Int64Output<Mode>;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** Whether the service has a field of this name that is a 64-bit integer. */
export const isField = (key: string): boolean => INT64_FIELDS.includes(key);

/**
 * The decimal digits of a 64-bit integer, for URLs and bodies.
 * @throws TypeError if the value is not exact: no integer, an unsafe number, or other text
 */
export function int64Digits(value: unknown, name: string): string {
  const isExact =
    typeof value === 'number'
      ? Number.isSafeInteger(value)
      : typeof value === 'bigint' || (typeof value === 'string' && INTEGER.test(value));
  if (isExact) return String(value);
  throw new TypeError(
    typeof value === 'string'
      ? `${name}: ${JSON.stringify(value)} is not a 64-bit integer in digits.`
      : `${name}: ${String(value)} is not an exact integer. Use a bigint.`,
  );
}

/** The value of a JSON number: `source` is its text. */
function revive(mode: Int64Mode, key: string, value: number, source: string): unknown {
  if (!INTEGER.test(source)) return value;
  const hasNumbers = mode === 'auto' || mode === 'number' || !isField(key);
  if (hasNumbers && Number.isSafeInteger(value)) return value;
  if (mode === 'number')
    throw new RangeError(
      `${key}: ${source} is not a safe integer. Use int64: 'bigint' or 'string'.`,
    );
  return mode === 'string' ? source : BigInt(source);
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** Whether revivers receive the source text (ECMAScript proposal JSON.parse source text access). */
let hasSource = false;
JSON.parse('1', ((_key, _value, context) => {
  hasSource = context?.source === '1';
}) as Reviver);

/**
 * Parses JSON like `JSON.parse`, but integers are exact. The 64-bit fields of the service have the representation of `mode`.
 * Any other integer is a number if it is safe.
 * @throws SyntaxError as `JSON.parse`
 * @throws RangeError if the mode is `number` and an integer is not safe
 */
export function parseJson(text: string, mode: Int64Mode = 'auto', isNative = hasSource): unknown {
  // Most responses contain no integer that needs more than a number.
  const hasNumbers = mode === 'auto' || mode === 'number';
  if (hasNumbers && !/\d{16}/.test(text)) return JSON.parse(text);
  if (!isNative) return parseTokens(text, mode);
  const reviver: Reviver = (key, value, context) =>
    typeof value === 'number' ? revive(mode, key, value, context?.source ?? '') : value;
  return JSON.parse(text, reviver);
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:"[\]{}]+|[[\]{}]/g;

/** Parses where revivers receive no source text. */
function parseTokens(text: string, mode: Int64Mode): unknown {
  JSON.parse(text); // Throws if the text is invalid: the rest relies on a valid text.
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const parseValue = (key: string): unknown => {
    const token = tokens[at++] as string;
    if (token === '[') {
      const items: unknown[] = [];
      while (tokens[at] !== ']') items.push(parseValue(String(items.length)));
      at++;
      return items;
    }
    if (token === '{') {
      const entries: [string, unknown][] = [];
      while (tokens[at] !== '}') {
        const name = JSON.parse(tokens[at++] as string);
        entries.push([name, parseValue(name)]);
      }
      at++;
      return Object.fromEntries(entries); // Also defines a key `__proto__`, as JSON.parse does.
    }
    const value = JSON.parse(token);
    return typeof value === 'number' ? revive(mode, key, value, token) : value;
  };
  return parseValue('');
}

type RawJson = (text: string) => unknown;
const nativeRawJson = (JSON as { rawJSON?: RawJson }).rawJSON ?? null;

/** Whether a value is written as the digits of an integer. The id of an event, such as `5f0c9a17-41`, is not. */
const isInt64 = (key: string, value: unknown): boolean =>
  typeof value === 'bigint' ||
  (isField(key) && (typeof value === 'string' ? !/\w-/.test(value) : typeof value === 'number'));

/**
 * Renders JSON like `JSON.stringify`, but a bigint as its digits, and a 64-bit field as an exact integer.
 * @throws TypeError if a 64-bit field is not exact
 */
export function renderJson(value: unknown, rawJson: RawJson | null = nativeRawJson): string {
  if (rawJson === null) return renderValue('', value) ?? 'null';
  return JSON.stringify(value, (key, part: unknown) =>
    isInt64(key, part) ? rawJson(int64Digits(part, key)) : part,
  );
}

/** Renders where `JSON.rawJSON` is missing. Returns undefined for a value that JSON leaves out. */
function renderValue(key: string, value: unknown): string | undefined {
  if (isInt64(key, value)) return int64Digits(value, key);
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => renderValue(String(index), item) ?? 'null').join()}]`;
  }
  if (typeof value !== 'object' || value === null || 'toJSON' in value)
    return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([name, part]) => {
    const text = renderValue(name, part);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join()}}`;
}
