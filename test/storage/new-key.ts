import { hashKey, type NewApiKey } from '../../src/api-keys/api-key.ts';

/** An API key without scopes that never expires. */
export const newKey = (name: string, fields: Partial<NewApiKey> = {}): NewApiKey => ({
  ...{ name, hash: hashKey(name), hint: name, scopes: [], createdAt: 0, expiresAt: null },
  ...fields,
});
