import type { Clock } from '../clock.ts';
import type { Principal } from '../http/context.ts';
import type { Scope } from '../http/operation.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import {
  type ApiKey,
  type Environment,
  generateKey,
  hashKey,
  hintOf,
  isUsable,
  isWellFormedKey,
  type NewApiKey,
  type RandomBytes,
} from './api-key.ts';
import type { ApiKeyStore, ListedApiKey } from './api-key-store.ts';

export interface KeyringDeps {
  readonly store: ApiKeyStore;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly randomBytes: RandomBytes;
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970-01-01T00:00:00Z; null: never. */
  readonly expiresAt: number | null;
}

/** A key at the one moment when it is known whole. */
export interface IssuedKey {
  readonly secret: string;
  readonly key: ApiKey;
}

/** The rules of API keys: how one is made, recognised, rotated and revoked. */
export class Keyring {
  readonly #deps: KeyringDeps;

  constructor(deps: KeyringDeps) {
    this.#deps = deps;
  }

  /** Who holds this key, if it is valid now. Asked anew for every request, so a revocation holds from the next. */
  verify(secret: string): MaybePromise<Principal | undefined> {
    const { store, clock, environment } = this.#deps;
    if (!isWellFormedKey(secret, environment)) return undefined;
    return chain(store.findByHash(hashKey(secret)), (key) =>
      key && isUsable(key, clock.now())
        ? { keyId: key.id, scopes: new Set(key.scopes) }
        : undefined,
    );
  }

  async create(request: KeyRequest): Promise<IssuedKey> {
    const { secret, stored } = this.#make(request);
    return { secret, key: await this.#deps.store.create(stored) };
  }

  /** Makes the first key, if there is none at all. */
  async createFirst(request: KeyRequest): Promise<IssuedKey | undefined> {
    const { secret, stored } = this.#make(request);
    const key = await this.#deps.store.createFirst(stored);
    return key && { secret, key };
  }

  list(): MaybePromise<ListedApiKey[]> {
    return this.#deps.store.list();
  }

  /** Ends a key now. Undefined when there is none with this id. */
  async revoke(id: number): Promise<ApiKey | undefined> {
    const { store, clock } = this.#deps;
    await store.revoke(id, clock.now());
    return store.findById(id);
  }

  /**
   * Makes a successor with the same name, scopes and expiry. The old key ends after the grace
   * period, or at its own expiry if that is earlier. Undefined when there is no usable key with this id.
   */
  async rotate(id: number, graceMs: number): Promise<IssuedKey | undefined> {
    const { store, clock } = this.#deps;
    const old = await store.findById(id);
    if (!old || !isUsable(old, clock.now())) return undefined;
    const endsAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, clock.now() + graceMs);
    const { secret, stored } = this.#make(old);
    const key = await store.replace(id, endsAt, stored);
    return key && { secret, key };
  }

  #make({ name, scopes, expiresAt }: KeyRequest): { secret: string; stored: NewApiKey } {
    const { environment, randomBytes, clock } = this.#deps;
    const secret = generateKey(environment, randomBytes);
    const stored = {
      name,
      scopes,
      expiresAt,
      createdAt: clock.now(),
      hint: hintOf(secret),
      hash: hashKey(secret),
    };
    return { secret, stored };
  }
}
