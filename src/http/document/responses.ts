import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import type { z } from 'zod';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';

type Responses = RouteConfig['responses'];

/** The descriptions of the response headers. */
const HEADERS = {
  'X-Request-Id': "The id of the request: the client's own, or a generated one.",
  'Cache-Control':
    'Always `private, no-cache`: no shared cache stores the response, and a private cache revalidates it before each use (RFC 9111).',
  Vary: 'Always `Authorization`; also `Origin` if pages of other origins may call the service (RFC 9110).',
  'X-Content-Type-Options': 'Always `nosniff`: the content has the type that Content-Type names.',
  'RateLimit-Policy':
    'The number of requests allowed per window, and the window in seconds, if there is a limit.',
  RateLimit:
    'The number of requests left, and the seconds until the window ends, if there is a limit.',
  'WWW-Authenticate': 'How to authenticate (RFC 6750).',
  'Retry-After': 'The seconds to wait before a retry.',
  Accept: 'The supported media type.',
  'Accept-Patch': 'The supported media types.',
  ETag: 'The entity tag: it changes if and only if the content changes (RFC 9110).',
  'Idempotency-Replayed': '`true` if this is the saved response to the first request.',
  Deprecation: 'When the operation was deprecated (RFC 9745).',
  Sunset: 'When the operation stops working (RFC 8594).',
  Link: 'The documentation of the deprecation, and the replacement (RFC 8288).',
} as const;

const describeAll = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );

/** Components that responses refer to, so that the document contains each once. */
export const RESPONSE_COMPONENTS = {
  headers: describeAll(HEADERS),
  examples: Object.fromEntries(
    Object.entries(ERRORS).map(([code, { message, status }]) => [
      code,
      { value: { code, message, status } },
    ]),
  ),
};

type HeaderName = keyof typeof HEADERS;

const OF_EVERY_RESPONSE: readonly HeaderName[] = [
  'X-Request-Id',
  'Cache-Control',
  'Vary',
  'X-Content-Type-Options',
];
const OF_COUNTED: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];
const OF_DEPRECATED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** The additional headers of an error. */
const OF_ERROR: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  credential_missing: ['WWW-Authenticate'],
  credential_invalid: ['WWW-Authenticate'],
  scope_missing: ['WWW-Authenticate'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
};

/** Whether a response of success has an entity tag: not if no cache may store it. */
const hasEntityTag = (response: Operation['responses'][number] | undefined): boolean =>
  response?.schema !== undefined && response.headers?.['Cache-Control'] === undefined;

/** Whether the response to a request with If-None-Match can be 304. */
export const canBeNotModified = ({ method, responses }: Operation): boolean =>
  method === 'get' && hasEntityTag(responses[200]);

/** The responses of success, with 304 if a request can be conditional. */
export function successes(operation: Operation, extensions: boolean): Responses {
  const { responses, method } = operation;
  const documented = Object.entries(responses).map(([status, response]) => {
    const names: HeaderName[] = [];
    if (extensions && hasEntityTag(response)) names.push('ETag');
    if (extensions && method === 'post') names.push('Idempotency-Replayed');
    const { schema, example, description } = response;
    const content = schema && { content: { 'application/json': { schema, example } } };
    return [
      status,
      {
        description,
        headers: describeHeaders(operation, Number(status), names, response.headers),
        ...content,
      },
    ];
  });
  const notModified = {
    description: 'The content is unchanged since the ETag in If-None-Match.',
    headers: describeHeaders(operation, 304, ['ETag'], responses[200]?.headers),
  };
  return {
    ...Object.fromEntries(documented),
    ...(extensions && canBeNotModified(operation) && { 304: notModified }),
  };
}

/** One response for each status, with an example for each code, and the common body. */
export function refusals(operation: Operation, extensions: boolean, body: z.ZodType): Responses {
  const codes = possibleErrors(operation, extensions);
  const byStatus = Object.groupBy(codes, (code) => ERRORS[code].status);
  const documented = Object.entries(byStatus).map(([status, codes = []]) => {
    const names = codes.flatMap((code) => OF_ERROR[code] ?? []);
    if (codes.includes('unsupported_media_type')) {
      names.push(operation.body?.isMergePatch ? 'Accept-Patch' : 'Accept');
    }
    const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
    return [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
        headers: describeHeaders(operation, Number(status), names),
        content: {
          'application/json': { schema: body, examples: Object.fromEntries(examples) },
        },
      },
    ];
  });
  return Object.fromEntries(documented);
}

function describeHeaders(
  { deprecation }: Operation,
  status: number,
  more: readonly HeaderName[],
  own: Readonly<Record<string, string>> = {},
) {
  // A request without a valid key is not counted, and a failure response has no count.
  const isCounted = status !== 401 && status < 500;
  // Both responses are sent before the operation is known.
  const isOfOperation = status !== 401 && status !== 429;
  const names = [
    ...OF_EVERY_RESPONSE,
    ...(isCounted ? OF_COUNTED : []),
    ...(deprecation && isOfOperation ? OF_DEPRECATED : []),
    ...more,
  ];
  return {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...describeAll(own),
  };
}

const OF_EVERY_OPERATION = [
  'credential_missing',
  'credential_invalid',
  'invalid_request',
  'invalid_parameter',
  'rate_limited',
  'internal_error',
  'unavailable',
  'deadline_exceeded',
] as const satisfies readonly ErrorCode[];

const OF_BODIES = [
  'body_required',
  'invalid_json',
  'validation_failed',
  'unsupported_media_type',
  'content_too_large',
] as const satisfies readonly ErrorCode[];

const OF_RETRIES = [
  'invalid_idempotency_key',
  'idempotency_in_progress',
  'idempotency_key_reused',
] as const satisfies readonly ErrorCode[];

/** The errors for paths and methods without an operation. */
const OF_NO_OPERATION: readonly ErrorCode[] = ['route_not_found', 'method_not_allowed'];

/** Every code that can occur with these operations, in the order of the catalogue. */
export function occurringErrors(operations: readonly Operation[], extensions: boolean) {
  const codes = new Set([
    ...OF_NO_OPERATION,
    ...operations.flatMap((operation) => possibleErrors(operation, extensions)),
  ]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** The codes that an operation declares, and those that follow from its method, body and parameters. */
function possibleErrors(
  { errors, method, body, params, deprecation, scope }: Operation,
  extensions: boolean,
): ErrorCode[] {
  const codes = new Set<ErrorCode>([...errors, ...OF_EVERY_OPERATION, ...(body ? OF_BODIES : [])]);
  if (scope !== null) codes.add('scope_missing');
  if (params) codes.add(params.notFound);
  if (deprecation) codes.add('operation_removed');
  if (method !== 'get') codes.add('storage_full');
  if (method === 'post' && extensions) for (const code of OF_RETRIES) codes.add(code);
  return [...codes];
}
