import type { ApiKey } from '../api-keys/api-key.ts';
import type { Scope } from '../http/contract/scopes.ts';
import type { Int64 } from '../int64.ts';
import type { Order, OrderStatus } from '../orders/order.ts';
import type { Pet, PetStatus } from '../pets/pet.ts';

/** Converts rows to the types of the features. The tables of both engines have the same columns. */

export interface PetRow {
  id: Int64;
  name: string;
  categoryId: Int64;
  status: PetStatus | null;
}

export const PET_COLUMNS = 'id, name, category_id AS "categoryId", status';

/** Omits the field `status` if it is NULL. */
export const toPet = (row: PetRow): Pet =>
  row.status === null
    ? { id: row.id, name: row.name, categoryId: row.categoryId }
    : (row as PetRow & { status: PetStatus });

export interface OrderRow {
  id: Int64;
  petId: Int64;
  status: OrderStatus;
  createdAt: number;
  expiresAt: number | null;
}

export const ORDER_COLUMNS =
  'id, pet_id AS "petId", status, created_at AS "createdAt", expires_at AS "expiresAt"';

export const toOrder = ({ id, petId, status, createdAt, expiresAt }: OrderRow): Order => ({
  id,
  petId,
  status,
  createdAt: new Date(createdAt).toISOString(),
  ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
});

/** The times of an order as stored: milliseconds since 1970-01-01T00:00:00Z. */
export const toOrderTimestamps = ({ createdAt, expiresAt }: Omit<Order, 'id'>) => ({
  createdAt: Date.parse(createdAt),
  expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt),
});

/** An API key as stored: its scopes are one text, separated by spaces. */
export type ApiKeyRow<Key> = Omit<Key, 'scopes'> & { scopes: string };

/** When a key ends: a rotated one may end earlier than it was granted for. */
export const KEY_END =
  'CASE WHEN rotated_until IS NULL OR rotated_until > expires_at THEN expires_at ELSE rotated_until END';

export const API_KEY_COLUMNS = `id, name, hint, scopes, created_at AS "createdAt", revoked_at AS "revokedAt", ${KEY_END} AS "expiresAt",
  expires_at AS "grantedUntil", rotated_until AS "rotatedUntil"`;

export const toApiKey = <Key extends ApiKey>(row: ApiKeyRow<Key>): Key =>
  ({ ...row, scopes: row.scopes.split(' ').filter(Boolean) as Scope[] }) as unknown as Key;

export const formatScopes = (scopes: readonly Scope[]): string => scopes.join(' ');
