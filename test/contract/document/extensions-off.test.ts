/** The OpenAPI document with EXTENSIONS=off describes only what can occur. */
import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { type AppOptions, operationsOf } from '../../../src/app.ts';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { openApiDocument } from '../../../src/http/document/openapi.ts';
import { errorCodesOf } from '../../../src/http/document/read-document.ts';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { StorageError } from '../../../src/storage/database.ts';
import {
  DOCUMENT,
  operationsIn,
  type ReadDocument,
  spelledOut,
} from '../../support/openapi-document.ts';
import {
  BASE_URLS,
  type RequestOptions,
  startService,
  type TestService,
  useService,
} from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';
import { inTime } from '../in-time.ts';

const text = renderExactJson(openApiDocument(operationsOf(false), BASE_URLS, false));
const document = spelledOut(JSON.parse(text));
const operations = operationsIn(document).map((operation) => ({
  ...operation,
  path: `/v1${operation.path.replace('{petId}', '1')}`,
}));
type Operation = (typeof operations)[number];

const OPTIONS = { extensions: false, rateLimit: { quota: 1_000, windowSeconds: 60 } };
const REX = { name: 'Rex', categoryId: 1 };

const plain = useService({ options: OPTIONS });
beforeAll(() => plain.addPet(REX));

/** Sends a valid request to the operation, changed by the options. */
const send = (
  service: TestService,
  { method, path }: Operation,
  { query = '', ...options }: RequestOptions & { readonly query?: string } = {},
): Promise<TestResponse> =>
  service.request(method, path + query, { ...(method === 'POST' && { body: REX }), ...options });

/** Sends such a request to a service whose storage only does this. */
async function sendWhile(
  instead: () => never | Promise<never>,
  operation: Operation,
  options: Partial<AppOptions> = {},
): Promise<TestResponse> {
  await using service = await startService({ options: { ...OPTIONS, ...options } });
  using _list = spyOn(service.database.read.pets, 'list').mockImplementation(instead);
  using _get = spyOn(service.database.read.pets, 'get').mockImplementation(instead);
  using _addPet = spyOn(service.database, 'addPet').mockImplementation(async () => instead());
  return await send(service, operation);
}

const fail = (error: Error) => () => {
  throw error;
};

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Requests that get each error code. A documented code that is missing here fails the test. */
const PROVOKE: Readonly<Record<string, (operation: Operation) => Promise<TestResponse>>> = {
  credential_missing: (operation) => send(plain, operation, { key: null }),
  credential_invalid: (operation) => send(plain, operation, { key: 'wrong' }),
  async scope_missing(operation) {
    const { secret } = await plain.issueKey(['orders:read']);
    return send(plain, operation, { key: secret });
  },
  invalid_request: (operation) => send(plain, operation, { headers: { Trailer: 'X-Sum' } }),
  invalid_parameter: (operation) =>
    send(plain, operation, { query: '?unknown=1', headers: { Prefer: 'handling=strict' } }),
  body_required: (operation) => send(plain, operation, { headers: JSON_TYPE, body: '' }),
  invalid_json: (operation) => send(plain, operation, { headers: JSON_TYPE, body: '{' }),
  validation_failed: (operation) => send(plain, operation, { body: {} }),
  unsupported_media_type: (operation) =>
    send(plain, operation, { headers: { 'Content-Type': 'text/plain' } }),
  content_too_large: (operation) =>
    send(plain, operation, { headers: JSON_TYPE, body: ' '.repeat(1024 * 1024 + 1) }),
  pet_not_found: (operation) => send(plain, { ...operation, path: '/v1/pets/999' }),
  async operation_removed(operation) {
    await using later = await startService({ options: OPTIONS });
    later.clock.set('2030-12-05T00:00:00Z');
    return await send(later, operation);
  },
  async rate_limited(operation) {
    const rateLimit = { quota: 1, windowSeconds: 60 };
    await using limited = await startService({ options: { ...OPTIONS, rateLimit } });
    await send(limited, operation);
    return await send(limited, operation);
  },
  internal_error: (operation) => sendWhile(fail(new Error('broken')), operation),
  unavailable: (operation) => sendWhile(fail(new StorageError('unavailable', 'gone')), operation),
  storage_full: (operation) => sendWhile(fail(new StorageError('full', 'full')), operation),
  deadline_exceeded: (operation) =>
    inTime(
      'response',
      sendWhile(() => new Promise(() => {}), operation, { requestTimeoutMs: 20 }),
    ),
};

const codesOf = ({ responses }: Operation) =>
  Object.entries(responses).flatMap(([status, { content }]) => {
    const codes = Object.keys(content?.['application/json']?.examples ?? {});
    return codes.map((code) => ({ code, status: Number(status) }));
  });
const pairs = operations.flatMap((operation) =>
  codesOf(operation).map((code) => ({ ...code, name: operation.operationId, operation })),
);

describe('each error code', () => {
  test.each(pairs)('$code is a response of $name', async ({ code, status, operation }) => {
    expect(PROVOKE).toHaveProperty(code);
    const response = await PROVOKE[code]?.(operation);
    expect(response?.json).toMatchObject({ code, status });
  });

  test('in the Error schema is one of these, or of a request without an operation', () => {
    const codes = ['method_not_allowed', 'route_not_found', ...pairs.map(({ code }) => code)];
    expect(errorCodesOf(document).toSorted()).toEqual([...new Set(codes)].toSorted());
  });

  test('in the examples belongs to an operation', () => {
    expect(Object.keys(document.components.examples).toSorted()).toEqual(
      [...new Set(pairs.map(({ code }) => code))].toSorted(),
    );
  });
});

const responsesOf = async (operation: Operation, status: number) => {
  const ok = status < 400 ? [await send(plain, operation)] : [];
  const codes = codesOf(operation).filter((documented) => documented.status === status);
  const errors = codes.map(({ code }) => PROVOKE[code]?.(operation));
  return [...ok, ...(await Promise.all(errors))];
};

test.each(
  operations.flatMap((operation) =>
    Object.keys(operation.responses).map((status) => ({ ...operation, status, operation })),
  ),
)('each header of $operationId with $status is in its responses', async ({ operation, status }) => {
  const sent = (await responsesOf(operation, Number(status))).flatMap((response) => [
    ...(response?.headers.keys() ?? []),
  ]);
  for (const header of Object.keys(operation.responses[status]?.headers ?? {}))
    expect(sent).toContain(header.toLowerCase());
});

test('there are only the specified operations with their parameters, without marks of stability', () => {
  const listed = operations.map(({ operationId, parameters = [] }) =>
    [operationId, ...parameters.map(({ name }) => name)].join(' '),
  );
  expect(listed).toEqual(['listPets limit status', 'createPet', 'getPet petId']);
  expect(text).not.toContain('x-stability');
});

test('an animal has the specified fields only', () => {
  const fields = (name: string) =>
    Object.keys((document.components.schemas[name] as { properties: object }).properties);
  expect(fields('NewPet')).toEqual(['name', 'categoryId', 'status']);
  expect(fields('Pet')).toEqual(['id', 'name', 'categoryId', 'status']);
});

test('there are only the scopes that an operation needs', () => {
  const named = SCOPES.filter((scope) => text.includes(scope));
  expect(named).toEqual(['pets:read', 'pets:write']);
});

test('no text mentions an operation, path, tag, schema, parameter, header, code or scope that does not exist', () => {
  const namesIn = (spec: ReadDocument): string[] => {
    const all = operationsIn(spec).flatMap((operation) => [
      operation.path,
      operation.operationId,
      ...(operation.parameters ?? []).map(({ name }) => name),
      ...Object.values(operation.responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    ]);
    const { schemas, examples } = spec.components;
    const tags = spec.tags.map(({ name }) => name);
    return [...all, ...tags, ...Object.keys(schemas), ...Object.keys(examples)];
  };
  const fields = Object.values(document.components.schemas).flatMap((schema) =>
    'properties' in schema ? Object.keys(schema.properties as object) : [],
  );
  const there = new Set([...namesIn(document), ...fields]);
  const missing = [...namesIn(DOCUMENT), ...SCOPES.slice(2)].filter((name) => !there.has(name));
  expect(missing).toContain('Idempotency-Key');
  expect(missing).toContain('listOrders');
  // The service honours this preference always, and the document says so. The others are words of OpenAPI or of English.
  expect(text).not.toMatch(/next page|entity tag|`id`/);
  for (const name of new Set(missing).difference(new Set(['Prefer', 'type', 'text', 'after'])))
    expect(text).not.toMatch(new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`));
});
