import type { Database as Sqlite, Statement } from 'bun:sqlite';
import type { ApiKey, NewApiKey } from '../../api-keys/api-key.ts';
import type { ApiKeyStore, ListedApiKey } from '../../api-keys/api-key-store.ts';
import type { Scope } from '../../http/operation.ts';
import { translating } from './failures.ts';
import type { Writer } from './writer.ts';

type Row<Key> = Omit<Key, 'scopes'> & { scopes: string };

const COLUMNS =
  'id, name, hint, scopes, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt';

function toKey<Key extends ApiKey>(row: Row<Key>): Key {
  return { ...row, scopes: row.scopes.split(' ').filter(Boolean) as Scope[] } as unknown as Key;
}

export class SqliteApiKeyStore implements ApiKeyStore {
  readonly #writer: Writer;
  readonly #byHash: Statement<Row<ApiKey>, [Uint8Array]>;
  readonly #byId: Statement<Row<ApiKey>, [number]>;
  readonly #list: Statement<Row<ListedApiKey>, []>;

  constructor(reader: Sqlite, writer: Writer) {
    this.#writer = writer;
    this.#byHash = reader.prepare(`SELECT ${COLUMNS} FROM api_keys WHERE hash = ?`);
    this.#byId = reader.prepare(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?`);
    this.#list = reader.prepare(
      `SELECT ${COLUMNS},
        (SELECT max(last_called_at) FROM operation_usage WHERE key_id = api_keys.id) AS lastUsedAt
      FROM api_keys ORDER BY id`,
    );
  }

  findByHash(hash: Uint8Array): ApiKey | undefined {
    const row = translating(() => this.#byHash.get(hash));
    return row === null ? undefined : toKey<ApiKey>(row);
  }

  findById(id: number): ApiKey | undefined {
    const row = translating(() => this.#byId.get(id));
    return row === null ? undefined : toKey<ApiKey>(row);
  }

  list(): ListedApiKey[] {
    return translating(() => this.#list.all()).map(toKey<ListedApiKey>);
  }

  create(key: NewApiKey): Promise<ApiKey> {
    return this.#writer.write(() => this.#insert(key));
  }

  createFirst(key: NewApiKey): Promise<ApiKey | undefined> {
    return this.#writer.write(() => {
      const any = this.#writer.connection.query('SELECT 1 FROM api_keys LIMIT 1').get();
      return any === null ? this.#insert(key) : undefined;
    });
  }

  replace(id: number, expiresAt: number, successor: NewApiKey): Promise<ApiKey | undefined> {
    return this.#writer.write(() => {
      const { changes } = this.#writer.connection
        .query('UPDATE api_keys SET expires_at = ? WHERE id = ? AND revoked_at IS NULL')
        .run(expiresAt, id);
      return changes === 0 ? undefined : this.#insert(successor);
    });
  }

  revoke(id: number, revokedAt: number): Promise<void> {
    return this.#writer.write(() => {
      this.#writer.connection
        .query('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
        .run(revokedAt, id);
    });
  }

  #insert(key: NewApiKey): ApiKey {
    const row = this.#writer.connection
      .query<Row<ApiKey>, [string, Uint8Array, string, string, number, number | null]>(
        `INSERT INTO api_keys (name, hash, hint, scopes, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
      )
      .get(key.name, key.hash, key.hint, key.scopes.join(' '), key.createdAt, key.expiresAt);
    if (row === null) throw new Error('The insert returned no row.');
    return toKey<ApiKey>(row);
  }
}
