import { createRoute, OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { ERRORS, ErrorBody, type ErrorCode } from './errors.ts';
import { type Operation, SCOPES } from './operation.ts';

export interface BaseUrls {
  readonly production: string;
  readonly staging: string;
}

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

/** Generates the OpenAPI 3.1 document from the operations: nothing in it is written twice. */
export function openApiDocument(
  operations: readonly { readonly operation: Operation }[],
  baseUrls: BaseUrls,
): OpenApiDocument {
  const generator = new OpenAPIHono();
  const registry = generator.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API key',
    description: `An API key, made by the operator of the service. Scopes: ${SCOPES.join(', ')}.`,
  });
  for (const { operation } of operations) registry.registerPath(describe(operation));
  return generator.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Animal Store Service',
      version: '1.0.0',
      description:
        "A store's catalogue of animals: list them, add one, fetch one. Every request needs an " +
        'API key; all bodies are JSON; every error has the same shape. Unknown parameters and ' +
        'fields are ignored, or refused with 400 when the request says `Prefer: handling=strict`.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [
      { url: baseUrls.production, description: 'Production' },
      { url: baseUrls.staging, description: 'Staging' },
    ],
    tags: [{ name: 'Pets', description: 'The animals of the catalogue.' }],
    security: [{ apiKey: [] }],
  });
}

function describe(operation: Operation): RouteConfig {
  const { deprecation, query, params, body } = operation;
  const sunset = deprecation?.sunset.toISOString().slice(0, 10);
  const parameters = { ...(query && { query }), ...(params && { params: params.schema }) };
  return createRoute({
    operationId: operation.id,
    method: operation.method,
    path: operation.path,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\nNeeds the scope \`${operation.scope}\`.`,
    ...(deprecation && { deprecated: true, 'x-deprecated-sunset': sunset, 'x-sunset': sunset }),
    request: {
      ...parameters,
      ...(body && {
        body: {
          required: true,
          content: { 'application/json': { schema: body.schema, examples: named(body.examples) } },
        },
      }),
    },
    responses: { ...successes(operation), ...refusals(operation) },
  });
}

const named = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));

type Responses = RouteConfig['responses'];

/** What each header means to a client. */
const HEADERS: Readonly<Record<string, string>> = {
  'X-Request-Id': "The request's id: the caller's own, or one made for it.",
  'WWW-Authenticate': 'How to authenticate (RFC 6750).',
  'Retry-After': 'After how many seconds to try again.',
  Accept: 'The media type that is understood.',
  Deprecation: 'Since when the operation is deprecated (RFC 9745).',
  Sunset: 'When the operation stops working (RFC 8594).',
  Link: 'The page about the deprecation, and the replacement (RFC 8288).',
};

const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'Link'];

/** Headers that come with an error, beside those of every answer. */
const ERROR_HEADERS: Partial<Record<ErrorCode, string>> = {
  credential_missing: 'WWW-Authenticate',
  credential_invalid: 'WWW-Authenticate',
  scope_missing: 'WWW-Authenticate',
  unsupported_media_type: 'Accept',
  unavailable: 'Retry-After',
};

function successes({ answers, deprecation }: Operation): Responses {
  const documented = Object.entries(answers).map(([status, answer]) => [
    status,
    {
      description: answer.description,
      headers: headers(deprecation, [], answer.headers),
      content: { 'application/json': { schema: answer.schema, example: answer.example } },
    },
  ]);
  return Object.fromEntries(documented);
}

/** One answer a status, with an example for each code that has it. */
function refusals(operation: Operation): Responses {
  const byStatus = Object.groupBy(possibleErrors(operation), (code) => ERRORS[code].status);
  const documented = Object.entries(byStatus).map(([status, codes = []]) => [
    status,
    {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
      headers: headers(
        operation.deprecation,
        codes.flatMap((code) => ERROR_HEADERS[code] ?? []),
      ),
      content: { 'application/json': { schema: ErrorBody, examples: named(errorExamples(codes)) } },
    },
  ]);
  return Object.fromEntries(documented);
}

const errorExamples = (codes: readonly ErrorCode[]) =>
  Object.fromEntries(
    codes.map((code) => [
      code,
      { code, message: ERRORS[code].message, status: ERRORS[code].status },
    ]),
  );

function headers(
  deprecation: Operation['deprecation'],
  more: readonly string[],
  own: Readonly<Record<string, string>> = {},
) {
  const names = ['X-Request-Id', ...(deprecation ? DEPRECATION_HEADERS : []), ...more];
  const described = { ...Object.fromEntries(names.map((name) => [name, HEADERS[name]])), ...own };
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );
}

/** The codes that an operation declares, and those that its form brings with it. */
function possibleErrors({ errors, method, body, params, deprecation }: Operation): ErrorCode[] {
  return [
    ...new Set<ErrorCode>([
      ...errors,
      'credential_missing',
      'credential_invalid',
      'scope_missing',
      'invalid_parameter',
      ...(params ? [params.notFound] : []),
      ...(deprecation ? (['operation_removed'] as const) : []),
      ...(body ? BODY_ERRORS : []),
      ...(method === 'get' ? [] : (['storage_full'] as const)),
      'internal_error',
      'unavailable',
      'deadline_exceeded',
    ]),
  ];
}

const BODY_ERRORS = [
  'body_required',
  'invalid_json',
  'validation_failed',
  'unsupported_media_type',
  'content_too_large',
] as const;
