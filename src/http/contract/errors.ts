import { z } from './zod.ts';

interface CatalogueEntry {
  readonly status: number;
  readonly message: string;
  /** What a client may do. */
  readonly remedy: string;
  /** A message as clients receive it, if it always is more exact than `message`. */
  readonly example?: string;
}

/**
 * The catalogue of all errors that a client can receive. The OpenAPI document and docs/errors.md
 * are generated from it. A code is never renamed or reused. A new code is added only for an error
 * that a client handles differently.
 */
export const ERRORS = {
  body_required: {
    status: 400,
    message: 'The request needs a JSON body.',
    remedy: 'Send a JSON object.',
  },
  invalid_json: {
    status: 400,
    message: 'The body is not a valid JSON object.',
    remedy: 'Send UTF-8 without byte order mark and duplicate keys, at most 64 levels deep.',
  },
  validation_failed: {
    status: 400,
    message: 'The body has invalid values.',
    example: 'name: is required; categoryId: is required',
    remedy: 'Correct the named fields. Nothing was stored.',
  },
  invalid_parameter: {
    status: 400,
    message: 'A query parameter is invalid.',
    example: 'limit: must be a whole number from 1 to 100',
    remedy: 'Correct the named parameters.',
  },
  invalid_cursor: {
    status: 400,
    message: 'The cursor is not valid for this list.',
    remedy: 'Follow the Link header, or start without a cursor.',
  },
  invalid_idempotency_key: {
    status: 400,
    message:
      'The Idempotency-Key must be 1 to 255 printable ASCII characters, bare without spaces or in double quotes, and sent once.',
    remedy: 'Correct the header. Nothing was stored.',
  },
  invalid_request: {
    status: 400,
    message: 'The request has a malformed header, or announces a trailer section.',
    remedy: 'Send one valid Host header, no trailer section, and entity tags in double quotes.',
  },
  read_only_field: {
    status: 400,
    message: 'The body changes a field that cannot be changed.',
    example: 'id: cannot be changed',
    remedy: 'Leave out the field. Nothing was changed.',
  },
  endpoint_unverified: {
    status: 400,
    message: 'The endpoint did not accept a ping.',
    example: 'The endpoint did not accept a ping: timed_out.',
    remedy:
      'Let it respond with 2xx within five seconds. `address_refused`: the operator can allow its network or http. Nothing was changed.',
  },
  credential_missing: {
    status: 401,
    message: 'The request needs an API key: send the header Authorization: Bearer KEY.',
    remedy: 'Send the header.',
  },
  credential_invalid: {
    status: 401,
    message: 'The API key is not valid.',
    remedy: 'Ask the operator for a key.',
  },
  scope_missing: {
    status: 403,
    message: 'The API key does not allow this operation.',
    remedy: 'Use a key with the named scope.',
  },
  route_not_found: {
    status: 404,
    message: 'No operation has this path.',
    remedy: 'Check the path. It has no trailing slash.',
  },
  pet_not_found: {
    status: 404,
    message: 'No animal has this identifier.',
    remedy: 'Check the identifier. Identifiers are never reused.',
  },
  category_not_found: {
    status: 404,
    message: 'No category has this identifier.',
    remedy: 'Animals may have a category without a record.',
  },
  order_not_found: {
    status: 404,
    message: 'No order has this identifier.',
    remedy: 'Check the identifier.',
  },
  key_not_found: {
    status: 404,
    message: 'No active API key has this identifier.',
    remedy: 'Check the list of keys.',
  },
  webhook_endpoint_not_found: {
    status: 404,
    message: 'No webhook endpoint has this identifier.',
    remedy: 'Check the list of endpoints.',
  },
  webhook_delivery_not_found: {
    status: 404,
    message: 'No delivery has this identifier.',
    remedy: 'Deliveries are deleted with their events.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support the method.',
    example: 'This path supports only GET, HEAD, POST.',
    remedy: 'Use a method of the Allow header.',
  },
  invalid_transition: {
    status: 409,
    message: 'The order cannot change from its status to this one.',
    example: 'The order is delivered, and cannot become cancelled: it can become returned.',
    remedy: 'Fetch the order. The message names what may follow.',
  },
  pet_not_available: {
    status: 409,
    message: 'The animal is not available.',
    example: 'The animal is not available: its status is sold.',
    remedy: 'Choose another animal, or try again later.',
  },
  pet_reserved: {
    status: 409,
    message: 'An open order holds the animal.',
    remedy: 'Wait until the order ends.',
  },
  category_in_use: {
    status: 409,
    message: 'Animals belong to this category.',
    remedy: 'Move its animals first.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still in progress.',
    remedy: 'Wait the seconds in Retry-After, then send the same key and body.',
  },
  operation_removed: {
    status: 410,
    message: 'This operation was removed.',
    remedy: 'Use the alternate in the Link header.',
  },
  events_expired: {
    status: 410,
    message: 'The events after this one are not known.',
    example: 'The events after this one are not known. The oldest one is 5f0c9a17-41.',
    remedy: 'Take the newest event (`sort=-id`), read the resources anew, and continue there.',
  },
  precondition_failed: {
    status: 412,
    message: 'A condition of the request does not hold: If-Match or If-None-Match.',
    remedy: 'Fetch the resource, and decide anew. Nothing was changed.',
  },
  content_too_large: {
    status: 413,
    message: 'The body is larger than 1 MiB.',
    remedy: 'Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be JSON in UTF-8, without a content encoding.',
    remedy: 'Send a media type that Accept or Accept-Patch names.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with another body.',
    remedy: 'Use a new key.',
  },
  precondition_required: {
    status: 428,
    message: 'The request needs an If-Match header.',
    remedy: 'Fetch the resource, and send its ETag as If-Match.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests.',
    remedy: 'Try again after the seconds in Retry-After.',
  },
  internal_error: {
    status: 500,
    message: 'The service failed to process this request.',
    remedy: 'Report the X-Request-Id to the operator.',
  },
  unavailable: {
    status: 503,
    message: 'The service cannot reach its storage, or is stopping.',
    remedy:
      'Try again after the seconds in Retry-After. Without an Idempotency-Key, check first whether a change was made.',
  },
  deadline_exceeded: {
    status: 503,
    message: 'The request took too long.',
    remedy: 'Check whether a change was made, and try again.',
  },
  webhooks_unavailable: {
    status: 503,
    message: 'There are no webhooks until the operator sets WEBHOOK_SECRET_KEY.',
    remedy: 'Ask the operator to set it.',
  },
  storage_full: {
    status: 507,
    message: 'The storage is full.',
    remedy: 'Inform the operator. Nothing was stored.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** An error for the client: an entry of the catalogue, with a more exact message if there is one. */
export class Refusal<Code extends ErrorCode = ErrorCode> {
  constructor(
    readonly code: Code,
    readonly message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

export function refuse<const Code extends ErrorCode>(
  code: Code,
  message: string = ERRORS[code].message,
  headers?: Readonly<Record<string, string>>,
): Refusal<Code> {
  return new Refusal(code, message, headers);
}

export const methodNotAllowed = (allowed: string): Refusal<'method_not_allowed'> =>
  refuse('method_not_allowed', `This path supports only ${allowed}.`, { Allow: allowed });

/** The header of a refusal that a client should repeat after a moment. In seconds. */
export const RETRY_SOON = { 'Retry-After': '1' };

/**
 * The schema of the specification's Error: exactly these fields.
 * @param codes the codes that can occur.
 */
export const errorBody = (codes: readonly ErrorCode[]) =>
  z
    .object({
      // No enumeration: a client must accept a code that a later version adds.
      code: z.string().openapi({
        pattern: '^[a-z_]+$',
        maxLength: 64,
        description: `Machine-readable error code. A later version may add some to these: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
      }),
      message: z.string().openapi({ description: 'Human-readable description.' }),
      status: z.int().openapi({
        format: 'int32',
        minimum: 400,
        maximum: 599,
        description: 'The HTTP status code of the response.',
      }),
    })
    .openapi('Error', { description: 'What went wrong.' });
