import { BETA } from '../contract/additions.ts';
import type { Operation } from '../contract/operation.ts';
import { z } from '../contract/zod.ts';
import { canBeNotModified } from './responses.ts';

/** The request headers. Each example can be sent as it is, except an entity tag, which comes from a response. */

const header = (schema: object, description: string, example: string) =>
  z
    .string()
    .optional()
    .openapi({ ...schema, param: { ...BETA, description, example } });

/** `*`, or a list of entity tags (RFC 9110 §13.1). */
const ENTITY_TAGS = { minLength: 1, maxLength: 8192 };

const IF_NONE_MATCH = header(
  ENTITY_TAGS,
  'The response to a read is 304 if it has one of these tags. A change is refused if the resource has one of them, or with `*` if ' +
    'the resource exists: a PUT then creates and never replaces.',
  '"1q2w3e4r5t6y7"',
);

/** The example is a tag, because readers copy it. A `*` would allow the change of any version. */
const IF_MATCH = header(
  ENTITY_TAGS,
  'Refuses the change if the resource has none of these tags any more. Send the ETag of the last response. `*` only requires that the resource exists.',
  '"31eau7yjpqtkx"',
);

const IDEMPOTENCY_KEY = header(
  { minLength: 1, maxLength: 257 },
  'Makes the request safe to retry: a retry with the same key and body within 24 hours gets ' +
    'the first response again. 1 to 255 printable ASCII characters, bare without ' +
    'spaces or in double quotes. Use a new random key for each new request.',
  '8e03978e-40d5-43e8-bc93-6894a57f9324',
);

const PREFER = header(
  { enum: ['handling=strict', 'handling=lenient'] },
  'With `handling=strict`, unknown parameters and fields are refused with 400 instead of ignored (RFC 7240).',
  'handling=strict',
);

/** The headers that an operation reads. All are our additions. */
export const requestHeaders = (operation: Operation) => {
  const { method, errors, headers } = operation;
  const isConditional = errors.includes('precondition_required');
  return z.object({
    ...((isConditional || canBeNotModified(operation)) && { 'If-None-Match': IF_NONE_MATCH }),
    ...(method === 'post' && { 'Idempotency-Key': IDEMPOTENCY_KEY }),
    ...(isConditional && { 'If-Match': IF_MATCH }),
    Prefer: PREFER,
    ...headers?.shape,
  });
};
