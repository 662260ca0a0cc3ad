/** Fields that we add to a specified operation are absent with EXTENSIONS=off: neither read, shown nor described. */
import { describe, expect, test } from 'bun:test';
import { BETA, withoutExtensions } from '../../../src/http/contract/additions.ts';
import { nameField } from '../../../src/http/contract/fields.ts';
import type { Input } from '../../../src/http/contract/handler.ts';
import { operation } from '../../../src/http/contract/operation.ts';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { z } from '../../../src/http/contract/zod.ts';
import { openApiDocument } from '../../../src/http/document/openapi.ts';
import { createContext } from '../../../src/http/request/context.ts';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { createRouter } from '../../../src/http/routing/router.ts';
import { spelledOut } from '../../support/openapi-document.ts';
import { BASE_URLS } from '../../support/service.ts';

const name = nameField('A name.');
const newToyFields = { name, nickname: name.optional().openapi(BETA) };
const NewToy = z.object(newToyFields).openapi('NewToy');
const Toy = z.object({ id: z.int(), ...newToyFields }).openapi('Toy');

const createToy = operation({
  id: 'createToy',
  method: 'post',
  path: '/toys',
  tag: 'Toys',
  summary: 'Add a toy',
  description: 'Adds a toy.',
  scope: 'pets:write',
  query: z.object({ size: name.optional(), colour: name.optional().openapi({ param: BETA }) }),
  body: { schema: NewToy, examples: {} },
  responses: { 201: { description: 'The toys.', schema: z.array(Toy).max(3) } },
  errors: [],
});

const declared = withoutExtensions(createToy);

const SENT = { name: 'Ball', nickname: 'Bally' };
const STORED = [
  { id: 1, ...SENT },
  { id: 2, name: 'Rope' },
];

/** Creates a toy with a service that has this operation only. Returns the input of its handler, and the response. */
async function send(sent: object, isStrict = false) {
  let input: Input | undefined;
  const handle = (received: Input) => {
    input = received;
    return { status: 201, body: STORED };
  };
  const clock = { now: () => 0 };
  const rules = { clock, requireIfMatch: false, entityTags: false, keepOpen: () => {} };
  const route = createRouter(
    [{ operation: declared, usedReaders: new Set(), handle }],
    'http://store.test/v1',
    rules,
  );
  const request = new Request('http://store.test/v1/toys?size=big&colour=blue', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(sent),
  });
  const ctx = createContext(request, 0, () => 'request');
  ctx.isStrict = isStrict;
  ctx.principal = { keyId: 1, scopes: new Set(SCOPES), expiresAtMs: Number.POSITIVE_INFINITY };
  const response = await route(request, ctx);
  return { input, status: response.status, text: await response.text() };
}

/** The names of the query parameters and of the fields in the OpenAPI document. */
function described() {
  const text = renderExactJson(openApiDocument([{ operation: declared }], BASE_URLS, false));
  const { paths, components } = spelledOut(JSON.parse(text));
  const parameters = paths['/toys']?.['post']?.parameters ?? [];
  const fields = (name: string) =>
    Object.keys((components.schemas[name] as { properties: object }).properties);
  return {
    query: parameters.filter((parameter) => parameter.in === 'query').map((one) => one.name),
    NewToy: fields('NewToy'),
    Toy: fields('Toy'),
    maxItems: /"maxItems":(\d+)/.exec(text)?.[1],
  };
}

describe('with EXTENSIONS=off', () => {
  test('an added field is neither read nor checked', async () => {
    const { input, status } = await send({ ...SENT, nickname: 5 });
    expect(status).toBe(201);
    expect(input?.body).toEqual({ name: 'Ball' });
    expect(input?.query).toEqual({ size: 'big' });
  });

  test('an added field is unknown to strict requests', async () => {
    const { status, text } = await send(SENT, true);
    expect(status).toBe(400);
    expect(JSON.parse(text).message).toBe('nickname: is not a known field');
  });

  test('a stored value of an added field is not shown', async () => {
    const { text } = await send({ name: 'Ball' });
    expect(JSON.parse(text)).toEqual([
      { id: 1, name: 'Ball' },
      { id: 2, name: 'Rope' },
    ]);
  });

  test('the checks of an object stay', () => {
    const Pair = z
      .object({ one: name, two: name, three: name.optional().openapi(BETA) })
      .refine(({ one, two }) => one !== two);
    const { body } = withoutExtensions({ ...createToy, body: { schema: Pair, examples: {} } });
    const parse = (value: object) => body?.schema.safeParse(value);
    expect(parse({ one: 'a', two: 'b', three: 'c' })).toMatchObject({
      data: { one: 'a', two: 'b' },
    });
    expect(parse({ one: 'a', two: 'a' })?.success).toBe(false);
  });

  test('added parameters and fields are not documented; the limits of the others are', () => {
    const specified = { query: ['size'], NewToy: ['name'], Toy: ['id', 'name'], maxItems: '3' };
    expect(described()).toEqual(specified);
  });
});
