/** The examples of the document: valid against their schemas, and accepted by the service as they are, except If-Match and the URL of a webhook. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import committed from '../../../openapi.json' with { type: 'json' };
import { operationsOf } from '../../../src/app.ts';
import { openApiDocument } from '../../../src/http/document/openapi.ts';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { prepareExamples } from '../../support/examples.ts';
import {
  DOCUMENT,
  operationsIn,
  type Parameter,
  spelledOut,
  valuesOf,
} from '../../support/openapi-document.ts';
import { BASE_URLS, startService, type TestService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';
import { sharedReceiver } from '../../support/webhook-receiver.ts';

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
ajv.addSchema(committed, 'openapi.json');

/** Checks that a value is valid against a part of the document. Its references are to components. */
function validate(schema: object, value: unknown): void {
  const absolute = JSON.parse(
    renderExactJson(schema).replaceAll('"#/components/', '"openapi.json#/components/'),
  );
  const check = ajv.compile(absolute);
  check(value);
  expect({ value, errors: check.errors ?? [] }).toEqual({ value, errors: [] });
}

const operations = operationsIn(DOCUMENT);
const named = operations.map((operation) => [operation.operationId, operation] as const);
type Operation = (typeof operations)[number];

const withoutExtensions = operationsIn(
  spelledOut(
    JSON.parse(renderExactJson(openApiDocument(operationsOf(false), BASE_URLS, false))) as object,
  ),
);

test.each([...named, ...withoutExtensions.map((each) => [each.operationId, each] as const)])(
  'each parameter of %s has an example on itself, which is valid',
  (_id, { parameters = [] }) => {
    for (const parameter of parameters) {
      expect(parameter).toHaveProperty('example');
      expect(parameter.schema).not.toHaveProperty('example');
      validate(parameter.schema, parameter.example);
    }
  },
);

test('each example of a body is valid', () => {
  let checked = 0;
  for (const [, content] of valuesOf('schema', DOCUMENT.paths)) {
    const { schema, example, examples = {} } = content as Content;
    if ('in' in content) continue;
    const values = Object.values(examples).flatMap((each) => ('value' in each ? [each.value] : []));
    for (const value of example === undefined ? values : [example, ...values]) {
      validate(schema, value);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(operations.length);
  for (const { value } of Object.values(DOCUMENT.components.examples))
    validate({ $ref: '#/components/schemas/Error' }, value);
});

interface Content {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

let service: TestService;

/** Creates what the examples of an operation name. */
const prepare = (operation: Operation): Promise<void> =>
  prepareExamples(operation, (method, path, body) =>
    service.request(method, `/v1${path}`, { body }),
  );

/** A position in the feed is valid in one database only. */
const isValidHere =
  (operationId: string) =>
  ({ name }: Parameter): boolean =>
    !/^(?:listEvents|streamEvents)$/.test(operationId) ||
    !/^(?:after|cursor|Last-Event-ID)$/.test(name);

/** Sends an operation with these parameters and its first body. A client takes the tag for If-Match from a response. */
async function send(
  { method, path, requestBody, operationId }: Operation,
  parameters: readonly Parameter[],
): Promise<TestResponse> {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let target = `/v1${path}`;
  for (const { in: place, name, example } of parameters.filter(isValidHere(operationId))) {
    const values = Array.isArray(example) ? example.map(String) : [String(example)];
    if (place === 'path') target = target.replace(`{${name}}`, values.join());
    else if (place === 'header') headers[name] = values.join();
    else for (const value of values) query.append(name, value);
  }
  if (headers['If-Match']) headers['If-Match'] = (await service.request('GET', target)).etag;
  const { body, ...type } = bodyOf(requestBody);
  return service.request(method, `${target}?${query}`, {
    headers: { ...headers, ...type },
    body,
  });
}

function bodyOf(requestBody: Operation['requestBody']) {
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined) return {};
  const [example] = Object.values(content?.examples ?? {});
  return { 'Content-Type': type, body: JSON.stringify(atReceiver(example?.value)) };
}

/** Nothing listens at the URL of an example. */
const atReceiver = (body: unknown) =>
  body instanceof Object && 'url' in body ? { ...body, url: sharedReceiver() } : body;

/** The whole response is in the message of a failure. */
function expectAccepted({ status, text }: TestResponse): void {
  expect({ text, isAccepted: status >= 200 && status < 300 }).toEqual({ text, isAccepted: true });
}

/** All examples of an operation, the required ones alone, and each optional one alone. */
function selectionsOf({ parameters = [] }: Operation): (readonly Parameter[])[] {
  const required = parameters.filter((parameter) => parameter.required);
  const optional = parameters.filter((parameter) => !parameter.required);
  // A cursor belongs to the filters of its list.
  const isFilter = ({ in: place, name }: Parameter) => place === 'query' && name !== 'limit';
  const alone = optional.map((parameter) => [
    ...required,
    ...(parameter.name === 'cursor' ? parameters.filter(isFilter) : [parameter]),
  ]);
  return optional.length === 0 ? [required] : [parameters, required, ...alone];
}

describe('a service', () => {
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  test.each(named)(
    'accepts those of %s, all together, and each optional one alone',
    async (_id, operation) => {
      for (const [index, parameters] of selectionsOf(operation).entries()) {
        if (index > 0 && operation.method !== 'GET') {
          await service.close();
          service = await startService();
        }
        if (index === 0 || operation.method !== 'GET') await prepare(operation);
        expectAccepted(await send(operation, parameters));
      }
    },
  );

  test('the example of If-Match forbids every change, so that copying it does not switch the check off', async () => {
    const examples = new Set(
      operations
        .flatMap(({ parameters = [] }) => parameters)
        .filter(({ name }) => name === 'If-Match')
        .map(({ example }) => String(example)),
    );
    expect(examples.size).toBe(1);
    const { id } = await service.addPet({ name: 'Mia', categoryId: 2 });
    for (const example of examples) {
      const headers = { 'If-Match': example };
      const { code } = await service.request('DELETE', `/v1/pets/${id}`, { headers });
      expect(code).toBe('precondition_failed');
    }
  });

  test('the examples of the filters select an animal of the example', async () => {
    const listPets = operations.find(({ operationId }) => operationId === 'listPets');
    if (listPets === undefined) throw new Error('There is no listPets.');
    await prepare(listPets);
    const { json } = await send(listPets, listPets.parameters ?? []);
    expect(json).toEqual([{ id: 2, name: 'Rex', categoryId: 1, status: 'available' }]);
  });
});
