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
import type { ApiKeyReader, ApiKeyStore } from './api-key-store.ts';

export interface KeyringDeps {
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

/** The rules of API keys: how one is made, recognised, rotated and revoked. Where they are kept is given to each. */
export class Keyring {
  readonly #deps: KeyringDeps;

  constructor(deps: KeyringDeps) {
    this.#deps = deps;
  }

  /** Who holds this key, if it is valid now. Asked anew for every request, so a revocation holds from the next. */
  verify(keys: ApiKeyReader, secret: string): MaybePromise<Principal | undefined> {
    const { clock, environment } = this.#deps;
    if (!isWellFormedKey(secret, environment)) return undefined;
    return chain(keys.findByHash(hashKey(secret)), (key) =>
      key && isUsable(key, clock.now())
        ? {
            keyId: key.id,
            scopes: new Set(key.scopes),
            untilMs: key.expiresAt ?? Number.POSITIVE_INFINITY,
          }
        : undefined,
    );
  }

  /** Makes a key that is not stored yet: its secret, and what is to be stored of it. */
  generate({ name, scopes, expiresAt }: KeyRequest): { secret: string; stored: NewApiKey } {
    const { environment, randomBytes, clock } = this.#deps;
    const secret = generateKey(environment, randomBytes);
    const createdAt = clock.now();
    const [hint, hash] = [hintOf(secret), hashKey(secret)];
    return { secret, stored: { name, scopes, expiresAt, createdAt, hint, hash } };
  }

  create(keys: ApiKeyStore, request: KeyRequest): MaybePromise<IssuedKey> {
    const { secret, stored } = this.generate(request);
    return chain(keys.create(stored), (key) => ({ secret, key }));
  }

  /** Makes the first key, if there is none at all. */
  createFirst(keys: ApiKeyStore, request: KeyRequest): MaybePromise<IssuedKey | undefined> {
    const { secret, stored } = this.generate(request);
    return chain(keys.createFirst(stored), (key) => key && { secret, key });
  }

  /** Ends a key now. Undefined when there is none with this id. */
  revoke(keys: ApiKeyStore, id: number): MaybePromise<ApiKey | undefined> {
    return chain(keys.revoke(id, this.#deps.clock.now()), () => keys.findById(id));
  }

  /**
   * Makes a successor with the same name, scopes and expiry. The old key ends after the grace
   * period, or at its own expiry if that is earlier. Undefined when there is no usable key with
   * this id, or when it has a successor: rotations of one key at the same moment make one.
   */
  rotate(keys: ApiKeyStore, id: number, graceMs: number): MaybePromise<IssuedKey | undefined> {
    const now = this.#deps.clock.now();
    return chain(keys.findById(id), (old) => {
      if (!old || !isUsable(old, now) || old.rotatedUntil !== null) return undefined;
      const successor = { ...old, expiresAt: old.grantedUntil };
      return chain(keys.endBy(id, now + graceMs), () => this.create(keys, successor));
    });
  }
}
