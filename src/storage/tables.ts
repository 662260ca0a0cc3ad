/** A table of the catalogue, the same in both engines. `copy` moves the tables listed here. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The primary key. Rows are copied in its order. */
  readonly key: readonly string[];
}

export type ColumnType = 'integer' | 'text' | 'bytes';

/** In the order of insertion, because of foreign keys. */
const TABLES: readonly Table[] = [
  {
    name: 'categories',
    columns: { id: 'integer', name: 'text' },
    key: ['id'],
  },
  {
    name: 'pets',
    columns: { id: 'integer', name: 'text', category_id: 'integer', status: 'text' },
    key: ['id'],
  },
  {
    name: 'orders',
    columns: {
      id: 'integer',
      pet_id: 'integer',
      status: 'text',
      created_at: 'integer',
      expires_at: 'integer',
    },
    key: ['id'],
  },
  {
    name: 'api_keys',
    columns: {
      id: 'integer',
      name: 'text',
      hash: 'bytes',
      hint: 'text',
      scopes: 'text',
      created_at: 'integer',
      expires_at: 'integer',
      revoked_at: 'integer',
      rotated_until: 'integer',
    },
    key: ['id'],
  },
  {
    name: 'operation_usage',
    columns: {
      key_id: 'integer',
      operation_id: 'text',
      calls: 'integer',
      last_called_at: 'integer',
    },
    key: ['key_id', 'operation_id'],
  },
  {
    name: 'daily_usage',
    columns: { day: 'integer', operation_id: 'text', calls: 'integer' },
    key: ['day', 'operation_id'],
  },
  {
    name: 'kept_answers',
    columns: {
      key_id: 'integer',
      operation: 'text',
      idempotency_key: 'text',
      fingerprint: 'bytes',
      answer: 'bytes',
      kept_at: 'integer',
    },
    key: ['key_id', 'operation', 'idempotency_key'],
  },
];

/** The tables that assign ids. No id is assigned twice, so the highest one of each table is copied, too. */
export const TABLES_WITH_IDS: readonly string[] = ['api_keys', 'orders', 'pets'];

/** The part of a copy with the highest id ever assigned by each table: rows of table name and id. */
export const HIGHEST_IDS = 'highest_ids';

export const PARTS: readonly string[] = [...TABLES.map(({ name }) => name), HIGHEST_IDS];

export function getTable(name: string): Table {
  const table = TABLES.find((candidate) => candidate.name === name);
  if (table === undefined) throw new Error(`There is no table ${name}.`);
  return table;
}
