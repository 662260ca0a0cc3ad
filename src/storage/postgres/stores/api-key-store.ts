import type { ApiKey, NewApiKey } from '../../../api-keys/api-key.ts';
import type { ApiKeyStore, ListedApiKey } from '../../../api-keys/api-key-store.ts';
import type { Int64 } from '../../../int64.ts';
import {
  API_KEY_COLUMNS,
  type ApiKeyRow,
  formatScopes,
  selectNextExpiry,
  toApiKey,
} from '../../rows.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';

export class PostgresApiKeyStore implements ApiKeyStore {
  /** @param onInvalidated is called before a key is revoked or given an expiry. */
  constructor(
    readonly run: Run,
    readonly lock: RowLock,
    readonly onInvalidated: () => void = () => {},
  ) {}

  async findByHash(hash: Uint8Array): Promise<ApiKey | undefined> {
    const [row] = await this.run<ApiKeyRow<ApiKey>>(
      `SELECT ${API_KEY_COLUMNS} FROM animal_store.api_keys WHERE hash = $1`,
      [hash],
    );
    return row && toApiKey<ApiKey>(row);
  }

  async findById(id: number): Promise<ApiKey | undefined> {
    const [row] = await this.run<ApiKeyRow<ApiKey>>(
      `SELECT ${API_KEY_COLUMNS} FROM animal_store.api_keys WHERE id = $1 ${this.lock}`,
      [id],
    );
    return row && toApiKey<ApiKey>(row);
  }

  async list(afterId: Int64 | undefined, count: number): Promise<ListedApiKey[]> {
    const rows = await this.run<ApiKeyRow<ListedApiKey>>(
      `SELECT ${API_KEY_COLUMNS}, (
        SELECT max(last_called_at) FROM animal_store.operation_usage WHERE key_id = api_keys.id
      ) AS "lastUsedAt"
      FROM animal_store.api_keys WHERE id > $1 ORDER BY id LIMIT $2`,
      [afterId ?? 0, count],
    );
    return rows.map(toApiKey<ListedApiKey>);
  }

  async nextExpiry(now: number): Promise<number | undefined> {
    const [row] = await this.run<{ time: number | null }>(
      selectNextExpiry('animal_store.api_keys', now),
    );
    return row?.time ?? undefined;
  }

  async create(key: NewApiKey): Promise<ApiKey> {
    const [row] = await this.run<ApiKeyRow<ApiKey>>(
      `INSERT INTO animal_store.api_keys (name, hash, hint, scopes, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${API_KEY_COLUMNS}`,
      [key.name, key.hash, key.hint, formatScopes(key.scopes), key.createdAt, key.expiresAt],
    );
    if (row === undefined) throw new Error('The insert returned no row.');
    return toApiKey<ApiKey>(row);
  }

  async createFirst(key: NewApiKey): Promise<ApiKey | undefined> {
    // Another instance that creates the first key waits until this transaction ends.
    await this.run('SELECT 1 FROM animal_store.schema_version FOR UPDATE');
    const existing = await this.run('SELECT 1 FROM animal_store.api_keys LIMIT 1');
    return existing.length > 0 ? undefined : this.create(key);
  }

  async endBy(id: number, time: number): Promise<void> {
    this.onInvalidated();
    await this.run(
      `UPDATE animal_store.api_keys SET rotated_until = least(rotated_until, $1::bigint) WHERE id = $2`,
      [time, id],
    );
  }

  async revoke(id: number, revokedAt: number): Promise<void> {
    this.onInvalidated();
    await this.run(
      'UPDATE animal_store.api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL',
      [revokedAt, id],
    );
  }
}
