/** Values for parameters, headers and bodies: what the document allows, its bounds, and what breaks programs. */
import type { Schema } from '../../../src/http/document/read-document.ts';
import type { Choices } from './choices.ts';

const NUMBERS = [
  ...['0', '1', '2', '7', '20', '100', '101', '-1', '-0', '01', '+1', '1.0', '1.5', '1e2', '1e400'],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775808'],
  ...['-9223372036854775809', '18446744073709551616', '4611686018427387904', '9'.repeat(1_000)],
];

/** Each also occurs within a longer text. */
const TEXTS = [
  ...['', ' ', 'x', 'Rex', 'x'.repeat(100), 'x'.repeat(101), 'x'.repeat(255), 'x'.repeat(256)],
  ...['\0', '\u0001', '\u001b[2J', '\r\nX-Injected: 1', '\u0085', '\u202e', '\ufeff', '\uffff'],
  ...['é', 'e\u0301', 'ﬁ', 'İ', 'ß', '猫', '👩‍👩‍👧', '\u0301'.repeat(50), 'ก็'],
  ...['%', '_', '%00', '%25', '*', '"', "'; DROP TABLE pets;--", '\\', '<script>', '{{7*7}}'],
  ...['../../etc/passwd', '__proto__', 'constructor', 'null', 'true', '[object Object]', 'NaN'],
  ...['available', 'sold', 'id', '-id', 'pets/1', 'placed', 'pet.created', '2030-01-01T00:00:00Z'],
  ...['2030-02-30T00:00:00Z', '9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00Z', '2030-01-01'],
];

const nested = (levels: number, open = '[', close = ']'): string =>
  open.repeat(levels) + close.repeat(levels);

/** Texts of JSON values, and texts that no JSON has. */
const JSON_TEXTS = [
  ...['null', 'true', '[]', '{}', '""', '" "', '[null]', '["x"]', '{"x":1}', '[[]]'],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\ud83d\\ude00"', '"\\/"', '"\\u202e"'],
  ...['{"a":1,"a":2}', '{"__proto__":{"x":1}}', '{"":1}', nested(60), nested(70), nested(5_000)],
  ...['NaN', 'Infinity', "'x'", '.5', '1.', '0x10', 'tru', '"open', '"\\x"', '"a\tb"', '1//x'],
  ...['[1,]', '{"a"}', '{"a":}', '[', '{', ']', ',', ''],
];

export const anyNumber = (c: Choices): string =>
  c.chance(0.5) ? String(c.int(1, 60)) : c.pick(NUMBERS);

export const anyText = (c: Choices): string => {
  const text = c.chance(0.2) ? anyNumber(c) : c.pick(TEXTS);
  return c.chance(0.2) ? `Rex ${text} II` : text;
};

const anyJson = (c: Choices): string => {
  if (c.chance(0.3)) return anyNumber(c);
  return c.chance(0.4) ? JSON.stringify(anyText(c)) : c.pick(JSON_TEXTS);
};

/** A value that the schema mostly allows, as JSON. */
export function jsonOf(c: Choices, schema: Schema): string {
  const { type, enum: values, anyOf, oneOf, items, properties } = schema;
  const kind = Array.isArray(type) ? c.pick(type) : type;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return jsonOf(c, c.pick(choices));
  if (values !== undefined) return JSON.stringify(c.pick(values));
  if (properties !== undefined) return objectOf(fieldsOf(c, schema));
  if (kind === 'array') {
    const count = c.chance(0.02) ? c.int(100, 1_001) : c.int(0, 5);
    return `[${Array.from({ length: count }, () => jsonOf(c, items ?? {})).join(',')}]`;
  }
  if (kind === 'integer' || kind === 'number') return String(c.int(1, 40));
  if (kind === 'boolean') return 'true';
  if (kind === 'null') return 'null';
  if (schema.format === 'date-time') return '"2035-01-01T00:00:00Z"';
  return JSON.stringify(`Rex ${c.int(1, 1_000)}`);
}

type Fields = (readonly [name: string, json: string])[];

const objectOf = (fields: Fields): string =>
  `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

const fieldsOf = (c: Choices, { properties = {}, required = [] }: Schema): Fields =>
  Object.entries(properties)
    .filter(([name]) => required.includes(name) || c.chance(0.4))
    .map(([name, field]) => [name, jsonOf(c, field)]);

/** Replaces, cuts, inserts or repeats bytes. */
export function damage(c: Choices, bytes: Buffer): Buffer {
  const at = c.int(0, bytes.length);
  const before = bytes.subarray(0, at);
  const inserted = Buffer.from(
    c.pick([[0], [0xff], [0xc0, 0xaf], [0xef, 0xbb, 0xbf], [0x0d, 0x0a], [0x0a], [0x20], [0x7f]]),
  );
  switch (c.int(0, 3)) {
    case 0:
      return before;
    case 1:
      return Buffer.concat([before, inserted, bytes.subarray(at)]);
    case 2:
      return Buffer.concat([before, inserted, bytes.subarray(at + c.int(1, 4))]);
    default:
      return Buffer.concat([before, bytes.subarray(Math.max(0, at - c.int(1, 30)))]);
  }
}

/** Any body of an operation: an object of its schema in half of the cases. */
export function anyBody(c: Choices, schema: Schema): Buffer {
  if (c.chance(0.05)) return Buffer.from(anyJson(c));
  const fields = fieldsOf(c, schema);
  const at = c.int(0, Math.max(0, fields.length - 1));
  const name = fields[at]?.[0] ?? 'x';
  if (c.chance(0.35)) fields[at] = [name, anyJson(c)];
  if (c.chance(0.05)) fields.push([name, anyJson(c)]);
  if (c.chance(0.1)) fields.push([anyText(c), anyJson(c)]);
  if (c.chance(0.05)) fields.splice(at, 1);
  const text = Buffer.from(objectOf(fields));
  if (c.chance(0.01)) return Buffer.concat([text, Buffer.alloc(1024 * 1024 - c.int(0, 200), ' ')]);
  return c.chance(0.08) ? damage(c, text) : text;
}
