import type { Database as Sqlite } from 'bun:sqlite';
import type { ApiKey, NewApiKey } from '../../api-keys/api-key.ts';
import type { ApiKeyStore, ListedApiKey } from '../../api-keys/api-key-store.ts';
import type { Scope } from '../../http/operation.ts';
import { translating } from './failures.ts';

type Row<Key> = Omit<Key, 'scopes'> & { scopes: string };

const COLUMNS = `id, name, hint, scopes, created_at AS createdAt, revoked_at AS revokedAt,
  coalesce(min(expires_at, rotated_until), expires_at, rotated_until) AS expiresAt,
  expires_at AS grantedUntil`;

function toKey<Key extends ApiKey>(row: Row<Key>): Key {
  return { ...row, scopes: row.scopes.split(' ').filter(Boolean) as Scope[] } as unknown as Key;
}

export class SqliteApiKeyStore implements ApiKeyStore {
  readonly #connection: Sqlite;

  constructor(connection: Sqlite) {
    this.#connection = connection;
  }

  findByHash(hash: Uint8Array): ApiKey | undefined {
    const query = this.#connection.query<Row<ApiKey>, [Uint8Array]>(
      `SELECT ${COLUMNS} FROM api_keys WHERE hash = ?`,
    );
    const row = translating(() => query.get(hash));
    return row === null ? undefined : toKey<ApiKey>(row);
  }

  findById(id: number): ApiKey | undefined {
    const query = this.#connection.query<Row<ApiKey>, [number]>(
      `SELECT ${COLUMNS} FROM api_keys WHERE id = ?`,
    );
    const row = translating(() => query.get(id));
    return row === null ? undefined : toKey<ApiKey>(row);
  }

  list(): ListedApiKey[] {
    const query = this.#connection.query<Row<ListedApiKey>, []>(
      `SELECT ${COLUMNS},
        (SELECT max(last_called_at) FROM operation_usage WHERE key_id = api_keys.id) AS lastUsedAt
      FROM api_keys ORDER BY id`,
    );
    return translating(() => query.all()).map(toKey<ListedApiKey>);
  }

  create(key: NewApiKey): ApiKey {
    const row = this.#connection
      .query<Row<ApiKey>, [string, Uint8Array, string, string, number, number | null]>(
        `INSERT INTO api_keys (name, hash, hint, scopes, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
      )
      .get(key.name, key.hash, key.hint, key.scopes.join(' '), key.createdAt, key.expiresAt);
    if (row === null) throw new Error('The insert returned no row.');
    return toKey<ApiKey>(row);
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
