import type { ApiKey, NewApiKey } from '../api-keys/api-key.ts';
import type { Category } from '../categories/category.ts';
import type { CategoryFilters } from '../categories/category-filters.ts';
import type {
  IdempotencyRecord,
  IdempotencyScope,
} from '../idempotency/idempotency-record-store.ts';
import type { DailyUsage, OperationUsage } from '../observe/usage.ts';
import type { Order } from '../orders/order.ts';
import type { OrderFilters } from '../orders/order-filters.ts';
import { ORDER_STATUSES } from '../orders/order-states.ts';
import { PET_STATUSES, type Pet } from '../pets/pet.ts';
import type { PetFilters } from '../pets/pet-filters.ts';
import type { StoredDelivery, StoredSecret, WebhookEndpoint } from '../webhooks/webhook-store.ts';
import type { EventRow, EventRowFilters } from './event-rows.ts';

/**
 * The one description of a table. Both engines have the same tables and columns, except for derived ones. The columns of
 * statements, the conversion of rows (`rows.ts`), staging tables, copies, exports and imports follow from it.
 */
interface Table<Resource, Filters = Record<never, never>> {
  readonly name: string;
  /** By the field of the resource, in the order of exports. A missing field does not compile. */
  readonly columns: { readonly [Field in keyof Resource]-?: ColumnOf<Resource, Field> };
  /** The fields of the primary key. Rows are copied in its order. */
  readonly key: readonly (keyof Resource)[];
  /** Whether the engine assigns the ids. It assigns no id twice. */
  readonly assignsIds?: true;
  /**
   * The filters of its list, each named like the field whose value it compares. A missing filter does not compile. The index of
   * the first filter in use reads a list. Each column must be the first of an index, unless the filter is a search or a time.
   */
  readonly filters: { readonly [Filter in keyof Filters]-?: FilterRule };
  readonly search?: Search & {
    readonly filter: keyof Filters;
    readonly fields: readonly (keyof Resource)[];
  };
}

/** How a list is searched for a text, as `search.ts` says. */
interface Search {
  /** The filter that has the text. */
  readonly filter: string;
  /** The fields that may contain it. */
  readonly fields: readonly string[];
  /** The column with their folded texts. It is derived, so no copy has it. Without it, the texts are folded when they are read. */
  readonly column?: string;
  /**
   * A filter that selects many rows. Unless an index has it second, a search looks at the other rows, too: a slice of those with a rare
   * value could take as long as the whole table.
   */
  readonly matched?: string;
}

/** A table whose resource does not matter. */
export interface AnyTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly key: readonly string[];
  readonly assignsIds?: true;
  readonly filters: Readonly<Record<string, FilterRule>>;
  readonly search?: Search;
}

interface Column {
  readonly column: string;
  readonly type: ColumnType;
  /** The column can be NULL. A resource with an optional field then does not have the field. */
  readonly isNullable?: true;
  /** What a copy has in its place: a copied database sends nothing until somebody says so. */
  readonly copied?: string;
}

/** A field that can be missing or null has a column that can be NULL. Otherwise the description does not compile. */
type ColumnOf<Resource, Field extends keyof Resource> =
  Partial<Pick<Resource, Field>> extends Pick<Resource, Field>
    ? NullableColumn
    : null extends Resource[Field]
      ? NullableColumn
      : Column & { readonly isNullable?: never };

type NullableColumn = Column & { readonly isNullable: true };

export type ColumnType =
  /** Any 64-bit integer. */
  | 'int64'
  /** A safe integer. Times of API keys and usage are in milliseconds since 1970-01-01T00:00:00Z. */
  | 'integer'
  /** Milliseconds since 1970-01-01T00:00:00Z. The field is text (RFC 3339). */
  | 'time'
  | 'text'
  | 'bytes';

interface FilterRule {
  /** The filter compares no column with a value: it is a search, or a bound of a time. */
  readonly isOther?: true;
  /** Its indexes have the column of another filter next, which has one of these values; null: NULL. */
  readonly splitBy?: {
    readonly filter: string;
    readonly values: readonly (string | null)[];
    /** The indexes have no other column that the list needs. */
    readonly mergesIds?: true;
  };
}

const OTHER = { isOther: true } as const;

const ID = { column: 'id', type: 'int64' } as const;
const NAME = { column: 'name', type: 'text' } as const;

export const CATEGORIES: Table<Category, CategoryFilters> = {
  name: 'categories',
  columns: { id: ID, name: NAME },
  key: ['id'],
  filters: { name: OTHER },
  search: { filter: 'name', fields: ['name'] },
};

export const PETS: Table<Pet, PetFilters> = {
  name: 'pets',
  columns: {
    id: ID,
    name: NAME,
    categoryId: { column: 'category_id', type: 'int64' },
    status: { column: 'status', type: 'text', isNullable: true },
  },
  key: ['id'],
  assignsIds: true,
  filters: {
    categoryId: {
      splitBy: { filter: 'status', values: [...PET_STATUSES, null], mergesIds: true },
    },
    status: {},
    id: {},
    name: OTHER,
  },
  search: { filter: 'name', fields: ['name'], column: 'folded_name', matched: 'status' },
};

export const ORDERS: Table<Order, OrderFilters> = {
  name: 'orders',
  columns: {
    id: ID,
    petId: { column: 'pet_id', type: 'int64' },
    status: { column: 'status', type: 'text' },
    createdAt: { column: 'created_at', type: 'time' },
    expiresAt: { column: 'expires_at', type: 'time', isNullable: true },
    deliveredAt: { column: 'delivered_at', type: 'time', isNullable: true },
    endedAt: { column: 'ended_at', type: 'time', isNullable: true },
    reference: { column: 'reference', type: 'text', isNullable: true },
    note: { column: 'note', type: 'text', isNullable: true },
  },
  key: ['id'],
  assignsIds: true,
  // The first one in use decides which index reads a page: those with the fewest orders come first.
  filters: {
    petId: {},
    // Many orders can have the same reference, and few of these a status.
    reference: { splitBy: { filter: 'status', values: ORDER_STATUSES } },
    status: {},
    text: OTHER,
    createdAfter: OTHER,
    createdBefore: OTHER,
    deliveredAfter: OTHER,
    deliveredBefore: OTHER,
  },
  search: { filter: 'text', fields: ['reference', 'note'], column: 'folded_texts' },
};

/** An API key as stored. It ends at `expiresAt` or, if that is earlier, at `rotatedUntil`. */
type StoredApiKey = Omit<ApiKey, 'grantedUntil'> & Pick<NewApiKey, 'hash'>;

export const API_KEYS: Table<StoredApiKey> = {
  name: 'api_keys',
  columns: {
    id: { column: 'id', type: 'integer' },
    name: NAME,
    hash: { column: 'hash', type: 'bytes' },
    hint: { column: 'hint', type: 'text' },
    /** Separated by spaces. */
    scopes: { column: 'scopes', type: 'text' },
    createdAt: { column: 'created_at', type: 'integer' },
    expiresAt: { column: 'expires_at', type: 'integer', isNullable: true },
    revokedAt: { column: 'revoked_at', type: 'integer', isNullable: true },
    rotatedUntil: { column: 'rotated_until', type: 'integer', isNullable: true },
  },
  key: ['id'],
  assignsIds: true,
  filters: {},
};

export const EVENTS: Table<EventRow, EventRowFilters> = {
  name: 'events',
  columns: {
    id: ID,
    at: { column: 'at', type: 'integer' },
    keyId: { column: 'key_id', type: 'integer', isNullable: true },
    resourceId: { column: 'resource_id', type: 'int64' },
    collection: { column: 'collection', type: 'integer' },
    type: { column: 'type', type: 'integer' },
    content: { column: 'content', type: 'text' },
  },
  key: ['id'],
  assignsIds: true,
  // A resource has fewer events than a type.
  filters: {
    collection: { splitBy: { filter: 'resourceId', values: [] } },
    resourceId: {},
    type: {},
  },
};

export const WEBHOOK_ENDPOINTS: Table<WebhookEndpoint> = {
  name: 'webhook_endpoints',
  columns: {
    id: ID,
    url: { column: 'url', type: 'text' },
    types: { column: 'types', type: 'text', isNullable: true },
    status: { column: 'status', type: 'text', copied: "'disabled'" },
    disabledReason: {
      column: 'disabled_reason',
      type: 'text',
      isNullable: true,
      copied: "coalesce(disabled_reason, 'restored')",
    },
    createdAt: { column: 'created_at', type: 'time' },
    failingSince: { column: 'failing_since', type: 'time', isNullable: true },
    fannedOutTo: { column: 'fanned_out_to', type: 'int64' },
  },
  key: ['id'],
  assignsIds: true,
  filters: {},
};

export const WEBHOOK_SECRETS: Table<StoredSecret> = {
  name: 'webhook_secrets',
  columns: {
    id: ID,
    endpointId: { column: 'endpoint_id', type: 'int64' },
    secret: { column: 'secret', type: 'bytes' },
    createdAt: { column: 'created_at', type: 'integer' },
    expiresAt: { column: 'expires_at', type: 'integer', isNullable: true },
  },
  key: ['id'],
  assignsIds: true,
  filters: {},
};

export const WEBHOOK_DELIVERIES: Table<StoredDelivery> = {
  name: 'webhook_deliveries',
  columns: {
    id: ID,
    endpointId: { column: 'endpoint_id', type: 'int64' },
    eventId: { column: 'event_id', type: 'int64' },
    status: {
      column: 'status',
      type: 'text',
      copied: "CASE status WHEN 'pending' THEN 'failed' ELSE status END",
    },
    attempts: { column: 'attempts', type: 'integer' },
    nextAt: { column: 'next_at', type: 'integer', isNullable: true, copied: 'NULL' },
    claimedUntil: { column: 'claimed_until', type: 'integer', copied: '0' },
    attemptedAt: { column: 'attempted_at', type: 'integer', isNullable: true },
    durationMs: { column: 'duration_ms', type: 'integer', isNullable: true },
    lastStatus: { column: 'last_status', type: 'integer', isNullable: true },
    lastError: {
      column: 'last_error',
      type: 'text',
      isNullable: true,
      copied: "CASE status WHEN 'pending' THEN 'restored' ELSE last_error END",
    },
  },
  key: ['id'],
  assignsIds: true,
  filters: {},
};

const OPERATION_USAGE: Table<OperationUsage> = {
  name: 'operation_usage',
  columns: {
    keyId: { column: 'key_id', type: 'integer' },
    operationId: { column: 'operation_id', type: 'text' },
    calls: { column: 'calls', type: 'integer' },
    lastCalledAt: { column: 'last_called_at', type: 'integer' },
  },
  key: ['keyId', 'operationId'],
  filters: {},
};

const DAILY_USAGE: Table<DailyUsage> = {
  name: 'daily_usage',
  columns: {
    day: { column: 'day', type: 'integer' },
    operationId: { column: 'operation_id', type: 'text' },
    calls: { column: 'calls', type: 'integer' },
  },
  key: ['day', 'operationId'],
  filters: {},
};

const IDEMPOTENCY_RECORDS: Table<IdempotencyScope & IdempotencyRecord> = {
  name: 'idempotency_records',
  columns: {
    keyId: { column: 'key_id', type: 'integer' },
    operation: { column: 'operation', type: 'text' },
    idempotencyKey: { column: 'idempotency_key', type: 'text' },
    fingerprint: { column: 'fingerprint', type: 'bytes' },
    response: { column: 'response', type: 'bytes' },
    savedAt: { column: 'saved_at', type: 'integer' },
  },
  key: ['keyId', 'operation', 'idempotencyKey'],
  filters: {},
};

/** In the order of insertion, because of foreign keys. `category_counts` is missing because it is derived from the animals. */
export const TABLES: readonly AnyTable[] = [
  CATEGORIES,
  PETS,
  ORDERS,
  API_KEYS,
  OPERATION_USAGE,
  DAILY_USAGE,
  IDEMPOTENCY_RECORDS,
  EVENTS,
  WEBHOOK_ENDPOINTS,
  WEBHOOK_SECRETS,
  WEBHOOK_DELIVERIES,
];

/** The part of a copy with the highest id ever assigned by each table: rows of table name and id. */
export const HIGHEST_IDS = 'highest_ids';

/** The parts of a copy. */
export const PARTS: readonly string[] = [...TABLES.map(({ name }) => name), HIGHEST_IDS];

export function getTable(name: string): AnyTable {
  const table = TABLES.find((candidate) => candidate.name === name);
  if (table === undefined) throw new Error(`There is no table ${name}.`);
  return table;
}
