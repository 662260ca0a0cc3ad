import { Int64Text, nameField } from '../http/contract/fields.ts';
import { SCOPES } from '../http/contract/scopes.ts';
import { z } from '../http/contract/zod.ts';
import type { ApiKey } from './api-key.ts';
import type { ListedApiKey } from './api-key-store.ts';
import type { IssuedKey } from './keyring.ts';

/** API keys as they are told over HTTP: times as text, and what is not there left out. */

const time = (description: string) => z.iso.datetime({ offset: true }).openapi({ description });

const name = nameField('Whom or what the key is for.');
const scopes = z
  .array(z.enum(SCOPES, { error: `must be some of ${SCOPES.join(', ')}` }), {
    error: `must be an array of some of ${SCOPES.join(', ')}`,
  })
  .min(1, 'must not be empty')
  .openapi({ description: 'What the key may do.' });

export const NewApiKeyBody = z
  .object({
    name,
    scopes: scopes
      .optional()
      .openapi({ description: 'What the key may do. Without it: all but manage keys.' }),
    expiresAt: time('When the key ends; it must lie in the future. Without it: never.').optional(),
  })
  .openapi('NewApiKey', { description: 'An API key to be made.' });

const fields = {
  id: z.int().openapi({ format: 'int64', description: 'Identifier of the key.' }),
  name,
  hint: z.string().openapi({ description: 'The beginning and the end of the key, to know it by.' }),
  scopes: scopes.openapi({ uniqueItems: true }),
  createdAt: time('When the key was made.'),
  expiresAt: time('When the key ends.').optional(),
};

export const ApiKeyBody = z
  .object({
    ...fields,
    revokedAt: time('When the key was revoked.').optional(),
    lastUsedAt: time('When the key was last used, to within some seconds.').optional(),
  })
  .openapi('ApiKey', { description: 'What is known of an API key.' });

export const IssuedApiKeyBody = z
  .object({
    ...fields,
    key: z.string().openapi({ description: 'The key itself. It is told only this once.' }),
  })
  .openapi('IssuedApiKey', { description: 'An API key that was just made.' });

export const EXAMPLE_KEY = {
  id: 2,
  name: 'web shop',
  hint: 'ask_live_…f4Qx',
  scopes: ['pets:read'],
  createdAt: '2027-01-01T12:00:00.000Z',
};

const toIso = (ms: number): string => new Date(ms).toISOString();

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

export const describeIssued = ({ key, secret }: IssuedKey) => ({ ...describe(key), key: secret });

/** A secret must not stay in anybody's cache. */
export const NO_STORE = { 'Cache-Control': 'no-store' };

const MAX_GRACE_SECONDS = 366 * 24 * 60 * 60;

export const RotationBody = z
  .object({
    gracePeriodSeconds: z
      .custom<number>(
        (value) =>
          typeof value === 'number' &&
          Number.isSafeInteger(value) &&
          value >= 0 &&
          value <= MAX_GRACE_SECONDS,
        `must be an integer from 0 to ${MAX_GRACE_SECONDS}`,
      )
      .openapi({
        type: 'integer',
        minimum: 0,
        maximum: MAX_GRACE_SECONDS,
        description: 'How long the old key still holds.',
      }),
  })
  .openapi('Rotation', { description: 'How to replace a key.' });

/** Ids of keys are small: what is beyond the safe integers names none. */
export const keyIdParameter = z.object({
  keyId: Int64Text.pipe(z.int()).openapi({
    type: 'integer',
    format: 'int64',
    param: { description: 'Identifier of the key.' },
    example: 2,
  }),
});
