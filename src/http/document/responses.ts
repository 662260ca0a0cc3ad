import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import type { z } from 'zod';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import { describeHeaders, type HeaderName } from './headers.ts';

type Responses = RouteConfig['responses'];

/** Examples that responses refer to, so that the document contains each once. */
export const EXAMPLE_COMPONENTS = Object.fromEntries(
  Object.entries(ERRORS).map(([code, { status, ...entry }]) => [
    code,
    { value: { code, message: 'example' in entry ? entry.example : entry.message, status } },
  ]),
);

const OF_EVERY_RESPONSE: readonly HeaderName[] = [
  'X-Request-Id',
  'Cache-Control',
  'Vary',
  'X-Content-Type-Options',
];
const OF_COUNTED: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];
const OF_PREFERENCES: readonly HeaderName[] = ['Preference-Applied'];
const OF_DEPRECATED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** The additional headers of an error. */
const OF_ERROR: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  credential_missing: ['WWW-Authenticate'],
  credential_invalid: ['WWW-Authenticate'],
  scope_missing: ['WWW-Authenticate'],
  idempotency_in_progress: ['Retry-After'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
};

/** Whether a response of success has an entity tag: not if no cache may store it, or if its operation says so. */
const hasEntityTag = (response: Operation['responses'][number] | undefined): boolean =>
  response?.schema !== undefined &&
  response.headers?.['Cache-Control'] === undefined &&
  response.hasEntityTag !== false;

/** Whether a client can send the tag of a response in If-None-Match. */
export const canBeNotModified = ({ method, responses }: Operation): boolean =>
  method === 'get' && hasEntityTag(responses[200]);

/** The responses of success, with 304 if a request can be conditional. */
export function successes(operation: Operation, extensions: boolean): Responses {
  const { responses, method } = operation;
  const documented = Object.entries(responses).map(([status, response]) => {
    const names: HeaderName[] = [];
    if (extensions && hasEntityTag(response)) names.push('ETag');
    if (extensions && method === 'post') names.push('Idempotency-Replayed');
    const { schema, example, description, mediaType = 'application/json' } = response;
    const content = schema && { content: { [mediaType]: { schema, example } } };
    return [
      status,
      {
        description,
        headers: headersOf(operation, Number(status), extensions, names, response.headers),
        ...content,
      },
    ];
  });
  const notModified = {
    description: 'If-None-Match names the ETag of the content, or is `*`.',
    headers: headersOf(operation, 304, extensions, ['ETag'], responses[200]?.headers),
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
        headers: headersOf(operation, Number(status), extensions, names),
        content: {
          'application/json': { schema: body, examples: Object.fromEntries(examples) },
        },
      },
    ];
  });
  return Object.fromEntries(documented);
}

function headersOf(
  { deprecation }: Operation,
  status: number,
  extensions: boolean,
  more: readonly HeaderName[],
  own: Readonly<Record<string, string>> = {},
) {
  // A request without a valid key is not counted, and a failure response has no count.
  const isCounted = status !== 401 && status < 500;
  // Both responses are sent before the operation is known.
  const isOfOperation = status !== 401 && status !== 429;
  const names: HeaderName[] = [
    ...OF_EVERY_RESPONSE,
    ...(isCounted ? OF_COUNTED : []),
    ...(extensions && isOfOperation ? OF_PREFERENCES : []),
    ...(deprecation && isOfOperation ? OF_DEPRECATED : []),
    ...more,
  ];
  return describeHeaders(names, own);
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

export const isOfEveryOperation = (code: string): boolean =>
  (OF_EVERY_OPERATION as readonly string[]).includes(code);

export const isOfEveryBody = (code: string): boolean =>
  code !== 'validation_failed' && (OF_BODIES as readonly string[]).includes(code);

/** The errors for paths and methods without an operation. */
const OF_NO_OPERATION: readonly ErrorCode[] = ['route_not_found', 'method_not_allowed'];

/** Every code that can occur with these operations, in the order of the catalogue. */
export function occurringErrors(operations: readonly Operation[], extensions: boolean) {
  const codes = new Set([
    ...OF_NO_OPERATION,
    ...operations.flatMap((operation) => possibleErrors(operation, extensions)),
  ]);
  return inOrder(codes);
}

/** In the order of the catalogue, so that equal responses of several operations are one component. */
const inOrder = (codes: ReadonlySet<ErrorCode>): ErrorCode[] =>
  (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));

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
  else if (extensions) codes.add('precondition_failed');
  if (method === 'post' && extensions) for (const code of OF_RETRIES) codes.add(code);
  return inOrder(codes);
}
