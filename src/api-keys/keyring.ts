import type { Clock } from '../clock.ts';
import type { Scope } from '../http/contract/scopes.ts';
import { type Principal, RefusedCredential } from '../http/request/principal.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { runSteps, type Steps, wait } from '../steps.ts';
import {
  type ApiKey,
  type Environment,
  environmentOf,
  generateKey,
  hasFormOfKey,
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
  /** For tests. */
  readonly randomBytes?: RandomBytes | undefined;
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970-01-01T00:00:00Z; null: never. */
  readonly expiresAt: number | null;
}

/** A new key with its secret, which is known only now. */
export interface IssuedKey {
  readonly secret: string;
  readonly key: ApiKey;
}

/** How a key is rotated. */
export interface Rotation {
  /** How long the old key stays valid, unless it expires before. */
  readonly graceMs: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. Undefined: the expiry that the old key was created with. */
  readonly expiresAt?: number | undefined;
}

/** The rules of API keys: how a key is created, verified, rotated and revoked. The store is a parameter. */
export class Keyring {
  constructor(private readonly deps: KeyringDeps) {}

  /** The environment whose keys are valid here. */
  get environment(): Environment {
    return this.deps.environment;
  }

  /** Finds the holder of a key, if it is valid now. Otherwise says why it is not. */
  verify(keys: ApiKeyReader, secret: string): MaybePromise<Principal | RefusedCredential> {
    const { clock, environment } = this.deps;
    if (!isWellFormedKey(secret, environment)) return refuseFormat(secret, environment);
    return chain(keys.findByHash(hashKey(secret)), (key) => {
      if (key === undefined) return new RefusedCredential('unknown', hintOf(secret));
      if (!isUsable(key, clock.now())) {
        return new RefusedCredential(
          key.revokedAt === null ? 'expired' : 'revoked',
          key.hint,
          key.id,
        );
      }
      return toPrincipal(key);
    });
  }

  /** The holder of a key that was verified before. Undefined if the key is no longer valid. */
  holderOf(keys: ApiKeyReader, id: number): MaybePromise<Principal | undefined> {
    return chain(keys.findById(id), (key) =>
      key !== undefined && isUsable(key, this.deps.clock.now()) ? toPrincipal(key) : undefined,
    );
  }

  /** Generates a key that is not stored yet: its secret, and what to store of it. */
  generate(
    { name, scopes, expiresAt }: KeyRequest,
    environment = this.environment,
  ): { secret: string; stored: NewApiKey } {
    const { randomBytes, clock } = this.deps;
    const secret = generateKey(environment, randomBytes);
    const createdAt = clock.now();
    const hint = hintOf(secret);
    const hash = hashKey(secret);
    return { secret, stored: { name, scopes, expiresAt, createdAt, hint, hash } };
  }

  create(
    keys: ApiKeyStore,
    request: KeyRequest,
    environment?: Environment,
  ): MaybePromise<IssuedKey> {
    const { secret, stored } = this.generate(request, environment);
    return chain(keys.create(stored), (key) => ({ secret, key }));
  }

  /** Creates the first key, if there is no key at all. */
  createFirst(keys: ApiKeyStore, request: KeyRequest): MaybePromise<IssuedKey | undefined> {
    const { secret, stored } = this.generate(request);
    return chain(keys.createFirst(stored), (key) => key && { secret, key });
  }

  /** Revokes a key now. Returns undefined if there is no key with this id. */
  revoke(keys: ApiKeyStore, id: number): MaybePromise<ApiKey | undefined> {
    return chain(keys.revoke(id, this.deps.clock.now()), () => keys.findById(id));
  }

  /**
   * Creates a successor with the same name, scopes and environment. The old key expires after the grace period, or at its own expiry if that
   * is earlier. Returns undefined if no usable key has this id, or if the key has a successor. Simultaneous rotations create
   * one successor.
   */
  rotate(keys: ApiKeyStore, id: number, rotation: Rotation): MaybePromise<IssuedKey | undefined> {
    return runSteps(this.#rotate(keys, id, rotation));
  }

  *#rotate(
    keys: ApiKeyStore,
    id: number,
    { graceMs, expiresAt }: Rotation,
  ): Steps<IssuedKey | undefined> {
    const now = this.deps.clock.now();
    const old = yield* wait(keys.findById(id));
    if (!old || !isUsable(old, now) || old.rotatedUntil !== null) return undefined;
    yield* wait(keys.endBy(id, now + graceMs));
    const request = { ...old, expiresAt: expiresAt ?? old.grantedUntil };
    return yield* wait(this.create(keys, request, environmentOf(old)));
  }
}

const toPrincipal = ({ id, scopes, expiresAt }: ApiKey): Principal => ({
  keyId: id,
  scopes: new Set(scopes),
  expiresAtMs: expiresAt ?? Number.POSITIVE_INFINITY,
});

/** Why a text that is not a well-formed key of this environment is refused. Only a text in the form of a key has a hint. */
function refuseFormat(text: string, environment: Environment): RefusedCredential {
  if (!hasFormOfKey(text)) return new RefusedCredential('malformed');
  const other = environment === 'production' ? 'staging' : 'production';
  const reason = isWellFormedKey(text, other) ? 'wrong_environment' : 'malformed';
  return new RefusedCredential(reason, hintOf(text));
}
