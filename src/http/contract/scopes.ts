import { z } from './zod.ts';

/** What an API key may allow. Every operation names the scope that it needs, or null for none: access is always decided. */
export const SCOPES = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'events:read',
  'webhooks:admin',
  'keys:admin',
] as const;
export type Scope = (typeof SCOPES)[number];

export const ScopeName = z
  .enum(SCOPES, { error: `must be one of ${SCOPES.join(', ')}` })
  .openapi('Scope', { description: 'A group of operations that an API key may call.' });
