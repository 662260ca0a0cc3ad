import type { Database as Sqlite, Statement } from 'bun:sqlite';
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
import { translateReadErrors } from '../failures.ts';

export class SqliteApiKeyStore implements ApiKeyStore {
  readonly #connection: Sqlite;

  readonly #byHash: Statement<ApiKeyRow<ApiKey>, [Uint8Array]>;

  constructor(connection: Sqlite) {
    this.#connection = connection;
    this.#byHash = connection.prepare(`SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE hash = ?`);
  }

  findByHash(hash: Uint8Array): ApiKey | undefined {
    const row = translateReadErrors(this.#connection, () => this.#byHash.get(hash));
    return row === null ? undefined : toApiKey<ApiKey>(row);
  }

  findById(id: number): ApiKey | undefined {
    const row = translateReadErrors(this.#connection, () =>
      this.#connection
        .query<ApiKeyRow<ApiKey>, [number]>(`SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE id = ?`)
        .get(id),
    );
    return row === null ? undefined : toApiKey<ApiKey>(row);
  }

  list(afterId: Int64 | undefined, count: number): ListedApiKey[] {
    const sql = `SELECT ${API_KEY_COLUMNS},
        (SELECT max(last_called_at) FROM operation_usage WHERE key_id = api_keys.id) AS lastUsedAt
      FROM api_keys WHERE id > ? ORDER BY id LIMIT ?`;
    const rows = translateReadErrors(this.#connection, () =>
      this.#connection
        .query<ApiKeyRow<ListedApiKey>, [Int64, number]>(sql)
        .all(afterId ?? 0, count),
    );
    return rows.map(toApiKey<ListedApiKey>);
  }

  nextExpiry(now: number): number | undefined {
    const row = translateReadErrors(this.#connection, () =>
      this.#connection.query<{ time: number | null }, []>(selectNextExpiry('api_keys', now)).get(),
    );
    return row?.time ?? undefined;
  }

  create(key: NewApiKey): ApiKey {
    const row = this.#connection
      .query<ApiKeyRow<ApiKey>, [string, Uint8Array, string, string, number, number | null]>(
        `INSERT INTO api_keys (name, hash, hint, scopes, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING ${API_KEY_COLUMNS}`,
      )
      .get(key.name, key.hash, key.hint, formatScopes(key.scopes), key.createdAt, key.expiresAt);
    if (row === null) throw new Error('The insert returned no row.');
    return toApiKey<ApiKey>(row);
  }

  createFirst(key: NewApiKey): ApiKey | undefined {
    const exists = this.#connection.query('SELECT 1 FROM api_keys LIMIT 1').get() !== null;
    return exists ? undefined : this.create(key);
  }

  endBy(id: number, time: number): void {
    this.#connection
      .query(
        'UPDATE api_keys SET rotated_until = min(coalesce(rotated_until, ?1), ?1) WHERE id = ?2',
      )
      .run(time, id);
  }

  revoke(id: number, revokedAt: number): void {
    this.#connection
      .query('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
      .run(revokedAt, id);
  }
}
