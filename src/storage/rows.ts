import type { ApiKey } from '../api-keys/api-key.ts';
import type { Scope } from '../http/contract/scopes.ts';
import type { Int64 } from '../int64.ts';
import type { Order, OrderStatus } from '../orders/order.ts';
import type { Pet, PetStatus } from '../pets/pet.ts';

/** How the rows of both engines become what features speak of: their tables have the same columns. */

export interface PetRow {
  id: Int64;
  name: string;
  categoryId: Int64;
  status: PetStatus | null;
}

export const PET_COLUMNS = 'id, name, category_id AS "categoryId", status';

/** A pet without a status has no such field. */
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

/** An order's times as they are stored. */
export const orderTimes = ({ createdAt, expiresAt }: Omit<Order, 'id'>) => ({
  createdAt: Date.parse(createdAt),
  expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt),
});

/** A key as it is stored: its scopes are one text. */
export type KeyRow<Key> = Omit<Key, 'scopes'> & { scopes: string };

export const KEY_COLUMNS = `id, name, hint, scopes, created_at AS "createdAt", revoked_at AS "revokedAt",
  CASE WHEN rotated_until IS NULL OR rotated_until > expires_at THEN expires_at ELSE rotated_until END AS "expiresAt",
  expires_at AS "grantedUntil", rotated_until AS "rotatedUntil"`;

export const toKey = <Key extends ApiKey>(row: KeyRow<Key>): Key =>
  ({ ...row, scopes: row.scopes.split(' ').filter(Boolean) as Scope[] }) as unknown as Key;

export const scopesText = (scopes: readonly Scope[]): string => scopes.join(' ');
