import { toIso } from '../clock.ts';
import { TERMINAL_RANGES } from '../control-characters.ts';
import type { Refusal } from '../http/contract/errors.ts';
import { refuseField } from '../http/contract/faults.ts';
import {
  gracePeriodField,
  Int64Text,
  KEY_ID,
  keyIdField,
  nameField,
  required,
  timeField,
  timeInput,
} from '../http/contract/fields.ts';
import { SCOPES, ScopeName } from '../http/contract/scopes.ts';
import { z } from '../http/contract/zod.ts';
import {
  type ApiKey,
  apiKeyNameProblem,
  type Environment,
  expiryProblem,
  MAX_GRACE_DAYS,
} from './api-key.ts';
import type { ListedApiKey } from './api-key-store.ts';
import type { IssuedKey } from './keyring.ts';

/** API keys as JSON: times as text, absent values left out. */

/** No control characters, and at least one character that is not white space. */
const NAME_PATTERN = `^[^${TERMINAL_RANGES}]*[^\\s${TERMINAL_RANGES}][^${TERMINAL_RANGES}]*$`;

/** Keys of earlier versions may have control characters in their names. */
const name = nameField('The user or purpose of the key.');
const newName = nameField('The user or purpose of the key.', {
  problemOf: apiKeyNameProblem,
  pattern: NAME_PATTERN,
});
/** With repeated ones. */
const MAX_SCOPES = 100;

const scopes = z
  .array(ScopeName, {
    error: (issue) => required(issue, `must be an array of some of ${SCOPES.join(', ')}`),
  })
  .min(1, 'must not be empty')
  .max(MAX_SCOPES, `must not have more than ${MAX_SCOPES} scopes`)
  .openapi({ description: 'What the key may do.' });

export const NewApiKeyBody = z
  .object({
    name: newName,
    scopes: scopes.optional().openapi({
      description: 'What the key may do. Default: `pets:read`.',
    }),
    expiresAt: timeInput('When the key expires. Must be in the future. Default: never.').optional(),
  })
  .openapi('NewApiKey', { description: 'An API key to create.' });

const fields = {
  id: keyIdField('Identifier of the key.'),
  name,
  hint: z.string().openapi({
    pattern: '^ask_(live|test)_….{4}$',
    maxLength: 14,
    description: 'The first and last characters of the key, to recognise it.',
  }),
  scopes: scopes.openapi({ uniqueItems: true, maxItems: SCOPES.length }),
  createdAt: timeField('When the key was created.'),
  expiresAt: timeField('When the key expires.').optional(),
};

export const ApiKeyBody = z
  .object({
    ...fields,
    revokedAt: timeField('When the key was revoked.').optional(),
    lastUsedAt: timeField('When the key was last used, accurate to about ten seconds.').optional(),
  })
  .openapi('ApiKey', { description: 'An API key, without its secret.' });

/** A holder recognises its key by the hint, so no event has one. */
export const ApiKeyInEvent = ApiKeyBody.omit({ hint: true, lastUsedAt: true }).openapi(
  'ApiKeyInEvent',
  { description: 'An API key in an event, without its hint and its last use.' },
);

export const CurrentApiKeyBody = z
  .object({
    ...fields,
    environment: z
      .enum(['production', 'staging'])
      .openapi({ description: 'The environment whose keys this service accepts.' }),
  })
  .openapi('CurrentApiKey', { description: 'The API key of the request, without its secret.' });

export const IssuedApiKeyBody = z
  .object({
    ...fields,
    key: z.string().openapi({
      pattern: '^ask_(live|test)_[0-9A-Za-z]{36}$',
      maxLength: 45,
      description: 'The key itself. No other operation returns it.',
    }),
  })
  .openapi('IssuedApiKey', { description: 'A new API key with its secret.' });

export const EXAMPLE_KEY = {
  id: 2,
  name: 'web shop',
  hint: 'ask_live_…f4Qx',
  scopes: ['pets:read'],
  createdAt: '2027-01-01T12:00:00.000Z',
};

const describe = ({ id, name, hint, scopes, createdAt, expiresAt }: ApiKey) => ({
  id,
  name,
  hint,
  scopes: [...scopes],
  createdAt: toIso(createdAt),
  ...(expiresAt === null ? {} : { expiresAt: toIso(expiresAt) }),
});

export const describeKey = (key: ListedApiKey) => ({
  ...describe(key),
  ...(key.revokedAt === null ? {} : { revokedAt: toIso(key.revokedAt) }),
  ...(key.lastUsedAt === null ? {} : { lastUsedAt: toIso(key.lastUsedAt) }),
});

export const describeCurrent = (key: ApiKey, environment: Environment) => ({
  ...describe(key),
  environment,
});

export const describeIssued = ({ key, secret }: IssuedKey) => ({ ...describe(key), key: secret });

const MAX_GRACE_SECONDS = MAX_GRACE_DAYS * 24 * 60 * 60;

export const RotationBody = z
  .object({
    gracePeriodSeconds: gracePeriodField(MAX_GRACE_SECONDS, 'How long the old key remains valid.'),
    expiresAt: timeInput(
      'When the successor expires. Must be in the future. Default: when the old key would have expired without the rotation.',
    ).optional(),
  })
  .openapi('Rotation', { description: 'How to rotate a key.' });

/** Why a key cannot expire at the `expiresAt` of a body, undefined if it can. */
export function refuseExpiresAt(
  expiresAt: number | undefined,
  now: number,
): Refusal<'validation_failed'> | undefined {
  const problem = expiresAt === undefined ? undefined : expiryProblem(expiresAt, now);
  return problem === undefined ? undefined : refuseField('validation_failed', 'expiresAt', problem);
}

/** A number outside the range of ids matches no key. */
const keyIdParameter = z.object({
  keyId: Int64Text.pipe(z.int()).openapi({
    ...KEY_ID,
    param: { description: 'Identifier of the key.', example: 2 },
  }),
});

/** The path parameter of an operation on one key. */
export const KEY_PARAMS = { schema: keyIdParameter, notFound: 'key_not_found' } as const;
