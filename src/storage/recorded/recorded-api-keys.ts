import type { ApiKey, NewApiKey } from '../../api-keys/api-key.ts';
import type { ApiKeyStore } from '../../api-keys/api-key-store.ts';
import { toIso } from '../../clock.ts';
import type { EventType } from '../../events/event-types.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { previousOf, type Recording } from './recording.ts';

/** Changes API keys and records the events. */
export class RecordedApiKeys implements ApiKeyStore {
  constructor(
    readonly stored: ApiKeyStore,
    readonly recording: Recording,
  ) {}

  findByHash = (hash: Uint8Array) => this.stored.findByHash(hash);

  findById = (id: number) => this.stored.findById(id);

  list = (afterId: Int64 | undefined, count: number) => this.stored.list(afterId, count);

  nextExpiry = (now: number) => this.stored.nextExpiry(now);

  create(key: NewApiKey): MaybePromise<ApiKey> {
    return chain(this.stored.create(key), (created) => this.#created(created));
  }

  createFirst(key: NewApiKey): MaybePromise<ApiKey | undefined> {
    return chain(this.stored.createFirst(key), (created) => created && this.#created(created));
  }

  endBy(id: number, time: number): MaybePromise<void> {
    return this.#changing('api_key.rotated', id, () => this.stored.endBy(id, time));
  }

  revoke(id: number, revokedAt: number): MaybePromise<void> {
    return this.#changing('api_key.revoked', id, () => this.stored.revoke(id, revokedAt));
  }

  #created(key: ApiKey): ApiKey {
    this.recording.add('api_key.created', key.id, { data: describe(key) });
    return key;
  }

  /** Reads the key before and after: keys change seldom. */
  #changing(type: EventType, id: number, change: () => MaybePromise<void>): MaybePromise<void> {
    return chain(this.stored.findById(id), (before) =>
      chain(change(), () =>
        chain(this.stored.findById(id), (after) => {
          if (before === undefined || after === undefined) return;
          const { rotatedUntil, revokedAt } = before;
          if (after.rotatedUntil === rotatedUntil && after.revokedAt === revokedAt) return;
          const previous = previousOf(endOf(before), endOf(after));
          this.recording.add(type, id, { data: describe(after), previous });
        }),
      ),
    );
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
