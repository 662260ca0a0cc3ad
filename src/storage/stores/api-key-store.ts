import type { ApiKey, NewApiKey } from '../../api-keys/api-key.ts';
import type { ApiKeyStore, ListedApiKey } from '../../api-keys/api-key-store.ts';
import { toIso } from '../../clock.ts';
import type { EventType } from '../../events/event-types.ts';
import type { Scope } from '../../http/contract/scopes.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { insertionOf } from '../insertion.ts';
import { previousOf } from '../recording.ts';
import { type Sql, Statement } from '../sql.ts';
import { API_KEYS } from '../tables.ts';

const TABLE = 'api_keys';

/** When a key ends: a rotated one may end earlier than it was granted for. */
export const KEY_END =
  'CASE WHEN rotated_until IS NULL OR rotated_until > expires_at THEN expires_at ELSE rotated_until END';

const COLUMNS = `id, name, hint, scopes, created_at AS "createdAt", revoked_at AS "revokedAt", ${KEY_END} AS "expiresAt",
  expires_at AS "grantedUntil", rotated_until AS "rotatedUntil"`;

/** A key as stored: its scopes are one text, separated by spaces. */
type Stored<Key> = Omit<Key, 'scopes'> & { readonly scopes: string };

const toApiKey = <Key extends ApiKey>(row: Stored<Key>): Key =>
  ({ ...row, scopes: row.scopes.split(' ').filter(Boolean) as Scope[] }) as unknown as Key;

const FIND_BY_HASH = new Statement<Stored<ApiKey>>(
  ({ table }) => `SELECT ${COLUMNS} FROM ${table(TABLE)} WHERE hash = $1`,
);
const FIND_BY_ID = new Statement<Stored<ApiKey>>(
  ({ table, lock }) => `SELECT ${COLUMNS} FROM ${table(TABLE)} WHERE id = $1 ${lock('FOR UPDATE')}`,
);
const LIST = new Statement<Stored<ListedApiKey>>(
  ({ table }) => `SELECT ${COLUMNS},
      (SELECT max(last_called_at) FROM ${table('operation_usage')} WHERE key_id = api_keys.id) AS "lastUsedAt"
    FROM ${table(TABLE)} WHERE id > $1 ORDER BY id LIMIT $2`,
);
/** A key that was rotated ends as its rotation said, and has a successor. */
const NEXT_EXPIRY = new Statement<{ time: number | null }>(
  ({ table }) => `SELECT min(expires_at) AS time FROM ${table(TABLE)}
    WHERE revoked_at IS NULL AND rotated_until IS NULL AND expires_at > $1`,
);
const CREATE = insertionOf(API_KEYS, ['name', 'hash', 'hint', 'scopes', 'createdAt', 'expiresAt']);
const ANY = new Statement(({ table }) => `SELECT 1 AS found FROM ${table(TABLE)} LIMIT 1`);
const END_BY = new Statement(
  ({ table }) => `UPDATE ${table(TABLE)}
    SET rotated_until = CASE WHEN rotated_until < $1 THEN rotated_until ELSE $1 END WHERE id = $2`,
);
const REVOKE = new Statement(
  ({ table }) => `UPDATE ${table(TABLE)} SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL`,
);

export class StoredApiKeys implements ApiKeyStore {
  /** @param onInvalidated is called before a key is revoked or given an expiry. */
  constructor(
    readonly sql: Sql,
    readonly onInvalidated: () => void = () => {},
  ) {}

  findByHash(hash: Uint8Array): MaybePromise<ApiKey | undefined> {
    return chain(this.sql.find(FIND_BY_HASH, hash), (row) => row && toApiKey<ApiKey>(row));
  }

  findById(id: number): MaybePromise<ApiKey | undefined> {
    return chain(this.sql.find(FIND_BY_ID, id), (row) => row && toApiKey<ApiKey>(row));
  }

  list(afterId: Int64 | undefined, count: number): MaybePromise<ListedApiKey[]> {
    return chain(this.sql.read(LIST, afterId ?? 0, count), (rows) =>
      rows.map(toApiKey<ListedApiKey>),
    );
  }

  nextExpiry(now: number): MaybePromise<number | undefined> {
    return chain(this.sql.find(NEXT_EXPIRY, now), (row) => row?.time ?? undefined);
  }

  create(key: NewApiKey): MaybePromise<ApiKey> {
    const { name, hash, hint, scopes, createdAt, expiresAt } = key;
    const values = [name, hash, hint, scopes.join(' '), createdAt, expiresAt];
    return chain(this.sql.insert(CREATE, values), (id) =>
      chain(this.findById(Number(id)), (created) => {
        if (created === undefined) throw new Error('The insert added no key.');
        this.sql.recording?.add('api_key.created', id, { data: describe(created) });
        return created;
      }),
    );
  }

  createFirst(key: NewApiKey): MaybePromise<ApiKey | undefined> {
    // Another instance that creates the first key waits until this transaction ends.
    return chain(this.sql.takeTurn(), () =>
      chain(this.sql.find(ANY), (other) => (other ? undefined : this.create(key))),
    );
  }

  endBy(id: number, time: number): MaybePromise<void> {
    return this.#changing('api_key.rotated', id, () => this.sql.change(END_BY, time, id));
  }

  revoke(id: number, revokedAt: number): MaybePromise<void> {
    return this.#changing('api_key.revoked', id, () => this.sql.change(REVOKE, revokedAt, id));
  }

  /** Reads the key before and after: keys change seldom. */
  #changing(type: EventType, id: number, change: () => MaybePromise<unknown>): MaybePromise<void> {
    return chain(this.findById(id), (before) => {
      this.onInvalidated();
      return chain(change(), () =>
        chain(this.findById(id), (after) => {
          if (before === undefined || after === undefined) return;
          const { rotatedUntil, revokedAt } = before;
          if (after.rotatedUntil === rotatedUntil && after.revokedAt === revokedAt) return;
          const previous = previousOf(endOf(before), endOf(after));
          this.sql.recording?.add(type, id, { data: describe(after), previous });
        }),
      );
    });
  }
}

/** Without the hash, and without the characters by which a holder recognises the key. */
const describe = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  scopes: key.scopes,
  createdAt: toIso(key.createdAt),
  ...endOf(key),
});

const endOf = ({ expiresAt, revokedAt }: ApiKey) => ({
  ...(expiresAt !== null && { expiresAt: toIso(expiresAt) }),
  ...(revokedAt !== null && { revokedAt: toIso(revokedAt) }),
});
