/** The messages that name fields and parameters: their grammar, their length, and that every sentence is ours. */
import { beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import document from '../../../openapi.json' with { type: 'json' };
import { operationsOf } from '../../../src/app.ts';
import type { Operation } from '../../../src/http/contract/operation.ts';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { anyCharacter } from '../../support/arbitraries.ts';
import { type RequestOptions, useService } from '../../support/service.ts';
import { type ParsedFault, parseFaults } from '../faults.ts';

const service = useService({ options: { requireKnownCategory: true } });
let collected: Collected[];
/** The parameters that may be empty. */
let acceptedEmpty: string[];
beforeAll(async () => {
  await service.request('PUT', '/v1/categories/1', { body: { name: 'Dogs' } });
  collected = [];
  acceptedEmpty = [];
  for (const operation of OPERATIONS) {
    await collectFromBodies(operation);
    await collectFromQueries(operation);
  }
});

/** A fault in a response, and the name of the field or parameter that was sent wrongly. */
interface Collected {
  readonly operation: string;
  readonly sent: string;
  readonly fault: ParsedFault;
}

/** Every text of a fault. A text of a library is none of them. */
const TEXTS = [
  /^is required$/,
  /^must be a string$/,
  /^must not be empty or only white space$/,
  /^must be at most 255 characters long$/,
  /^must not contain a lone surrogate$/,
  /^must not contain the character U\+0000$/,
  /^must not contain control characters(?: other than line feeds)?$/,
  /^must have 1 to (?:100|1000) characters$/,
  /^must be an integer from -9223372036854775808 to 9223372036854775807$/,
  /^must be an integer from 0 to (?:31622400|2592000)$/,
  /^must be one of [a-zA-Z:-]+(?:, [a-zA-Z:-]+)+$/,
  /^must be an array of some of [a-z:]+(?:, [a-z:]+)+$/,
  /^must be an array of 1 to 1000 animals$/,
  /^must be an object$/,
  /^must not be empty$/,
  /^must be a time such as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00(?:\+|%2B)01:00$/,
  /^must be in the future$/,
  /^must be before the year 10000 in UTC$/,
  /^cannot be changed$/,
  /^is not a known category$/,
  /^is not the identifier of an animal$/,
  /^is not a known field$/,
  /^must be a whole number from 1 to (?:100|366)$/,
  /^must be an integer in digits, from -9223372036854775808 to 9223372036854775807$/,
  /^must be the name of a time zone such as Europe\/Berlin$/,
  /^must not be given more than once$/,
  /^must not be given more than (?:100|20|6) times$/,
  /^must be one of pet\.created, .+, webhook_endpoint\.disabled$/,
  /^must be an array of types of events$/,
  /^must not have more than 100 (?:scopes|types)$/,
  /^must be true or false$/,
  /^must be an http or https URL of at most 2048 ASCII characters, without a space or a fragment$/,
  /^must be a resource such as pets\/7, orders\/4, categories\/3 or api-keys\/2$/,
  /^must be the id of an event, such as 5f0c9a17-41$/,
  /^must contain more than accents and invisible characters$/,
  /^is not a known parameter$/,
];
const OPERATIONS: readonly Operation[] = operationsOf(true).map(({ operation }) => operation);

/** Values of every kind. Each field accepts some of them. */
const VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  7,
  -1,
  1.5,
  2n ** 63n,
  '',
  ' ',
  'x',
  'x'.repeat(256),
  'a\0b',
  'a\u001bb',
  '2020-01-01T00:00:00Z',
  '9999-12-31T23:59:59-12:00',
  '2030-01-01',
  [],
  ['x'],
  [null],
  [[]],
  {},
  { x: 1 },
];

/** The URL of an operation. Its resource does not exist: a body is checked first. */
const targetOf = ({ path }: Operation): string => `/v1${path.replaceAll(/\{\w+\}/g, '999999')}`;

/** Sends a request, and collects the faults in its response if it is refused because of them. Resolves with whether it is. */
async function collect(
  { id, method }: Operation,
  sent: string,
  url: string,
  options: RequestOptions,
): Promise<boolean> {
  const { json } = await service.request(method, url, options);
  const { code = '', message = '' } = json as { code?: string; message?: string };
  if (!['validation_failed', 'read_only_field', 'invalid_parameter'].includes(code)) return false;
  for (const fault of parseFaults(message).faults) collected.push({ operation: id, sent, fault });
  return true;
}

const STRICT = { Prefer: 'handling=strict' };

/** Sends each value as each field, beside an example of the others. */
async function collectFromBodies(operation: Operation): Promise<void> {
  const { body } = operation;
  if (body === undefined) return;
  const [example] = Object.values(body.examples) as Readonly<Record<string, unknown>>[];
  const url = targetOf(operation);
  for (const field of Object.keys(body.schema.shape)) {
    for (const value of VALUES) {
      const text = renderExactJson({ ...example, [field]: value });
      await collect(operation, field, url, { body: text });
    }
    const surrogate = renderExactJson({ ...example, [field]: 'x' }).replace('"x"', '"\\ud800"');
    await collect(operation, field, url, { body: surrogate });
  }
  await collect(operation, 'other', url, { body: { ...example, other: 1 }, headers: STRICT });
}

/** Encoded values of every kind. The last two are a NUL and an accent. */
const QUERY_VALUES = ['x', '1.0', 'x'.repeat(101), 'a%00b', '%CC%81'];

/** A cursor has errors of its own. */
const parametersOf = (query: Operation['query']): string[] =>
  Object.keys(query?.shape ?? {}).filter((name) => name !== 'cursor');

async function collectFromQueries(operation: Operation): Promise<void> {
  const url = targetOf(operation);
  const names = parametersOf(operation.query);
  for (const name of names) {
    const many = Array.from({ length: 101 }, () => `${name}=1`).join('&');
    const single = QUERY_VALUES.map((value) => `${name}=${value}`);
    for (const query of [...single, `${name}=1&${name}=x`, many])
      await collect(operation, name, `${url}?${query}`, {});
    const isRefused = await collect(operation, name, `${url}?${name}=`, {});
    if (!isRefused) acceptedEmpty.push(`${operation.id}: ${name}`);
  }
  if (names.length > 0) await collect(operation, 'other', `${url}?other=1`, { headers: STRICT });
}

test.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
  'each field and parameter of %s is refused with some values, and an unknown one by a strict request',
  (id, { body, query }) => {
    const refusals = (name: string) =>
      collected.filter(({ operation, sent }) => operation === id && sent === name).length;
    for (const field of Object.keys(body?.schema.shape ?? {}))
      expect([field, refusals(field) > 5]).toEqual([field, true]);
    for (const name of parametersOf(query))
      expect([name, refusals(name) > 4]).toEqual([name, true]);
    expect(refusals('other')).toBe(Number(body !== undefined) + Number(query !== undefined));
  },
);

test('no parameter may be empty', () => expect(acceptedEmpty).toEqual([]));

test('each fault is at the path of the field or parameter', () => {
  for (const { sent, fault } of collected) expect(fault.path[0]).toBe(sent);
});

test('each text of a fault is ours, and each of ours occurs', () => {
  const texts = new Set(collected.map(({ fault }) => fault.text));
  expect([...texts].filter((text) => !TEXTS.some((pattern) => pattern.test(text)))).toEqual([]);
  const occurs = (pattern: RegExp) => [...texts].some((text) => pattern.test(text));
  expect(TEXTS.filter((pattern) => !occurs(pattern))).toEqual([]);
});

test('the examples of these messages in the document are such messages', () => {
  for (const code of ['validation_failed', 'invalid_parameter', 'read_only_field'] as const) {
    const { faults } = parseFaults(document.components.examples[code].value.message);
    for (const { text } of faults) expect(TEXTS.some((pattern) => pattern.test(text))).toBe(true);
  }
});

test('any names of unknown fields and parameters can be read back from the message', async () => {
  const anyName = fc.string({ unit: anyCharacter, minLength: 0, maxLength: 30 });
  const known = ['name', 'categoryId', 'status'];
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyName, { maxLength: 14 }), async (names) => {
      const others = names.filter((name) => !known.includes(name));
      const unknown = Object.fromEntries(others.map((name) => [name, 1]));
      const body = { ...unknown, name: 'Rex', categoryId: 1 };
      const { json } = await service.request('POST', '/v1/pets', { headers: STRICT, body });
      if (others.length === 0) return;
      const { faults, more } = parseFaults((json as { message: string }).message);
      const paths = Object.keys(unknown).map((name) => [name]);
      expect(faults.map(({ path }) => path)).toEqual(paths.slice(0, 10));
      expect(more).toBe(Math.max(0, paths.length - 10));
    }),
    { numRuns: 200, examples: [[[...'abcdefghij']], [[...'abcdefghijk']]] },
  );
});

const MAX_LENGTH = 2_000;
const NAMES = Array.from({ length: 5_000 }, (_, index) => `f${index}`);

test.each([
  ['many unknown fields', JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, 1])))],
  ['an unknown field with a long name', JSON.stringify({ ['x'.repeat(100_000)]: 1 })],
  ['a duplicate key with a long name', `{"${'y'.repeat(100_000)}":1,"${'y'.repeat(100_000)}":1}`],
])('a body with %s gets a short message', async (_what, body) => {
  const response = await service.request('POST', '/v1/pets', { body, headers: STRICT });
  expect(response.status).toBe(400);
  expect(response.text.length).toBeLessThan(MAX_LENGTH);
});

test('many unknown parameters are counted, not named', async () => {
  const query = NAMES.slice(0, 500).join('&');
  const { json } = await service.request('GET', `/v1/pets?${query}`, { headers: STRICT });
  expect(json).toMatchObject({ message: expect.stringContaining('; and 490 more') });
});
