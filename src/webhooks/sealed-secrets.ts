import { createHash } from 'node:crypto';
import { decrypt, encrypt } from '../encryption.ts';

const NAME_BYTES = 4;

/** No key of WEBHOOK_SECRET_KEY opens a secret. */
export class UnknownSealKey extends Error {
  override readonly name = 'UnknownSealKey';
}

/** Seals the secrets that sign webhooks: the service must read them, and a copy of the database must not show them. */
export class SecretSeal {
  /** By the name of the key, which each sealed secret begins with. */
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #current: string;

  /** @param keys of 32 bytes. The first one seals, and each one opens. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = new Map(keys.map((key) => [nameOf(key), key]));
    this.#current = nameOf(keys[0] ?? new Uint8Array());
  }

  /** The name of the key, and the encrypted secret. */
  seal(secret: Uint8Array): Uint8Array {
    const encrypted = encrypt(secret, this.#keyOf(this.#current));
    return Buffer.concat([Buffer.from(this.#current, 'hex'), encrypted]);
  }

  /** @throws UnknownSealKey, or an error of the cipher if the sealed secret is damaged. */
  open(sealed: Uint8Array): Uint8Array {
    return decrypt(sealed.subarray(NAME_BYTES), this.#keyOf(keyNameIn(sealed)));
  }

  /** Whether the first key sealed it. */
  isCurrent(sealed: Uint8Array): boolean {
    return keyNameIn(sealed) === this.#current;
  }

  #keyOf(name: string): Uint8Array {
    const key = this.#keys.get(name);
    if (key === undefined)
      throw new UnknownSealKey(
        `A webhook secret was sealed under another key (${name}): add it to WEBHOOK_SECRET_KEY, or rotate the secret of its endpoint.`,
      );
    return key;
  }
}

const keyNameIn = (sealed: Uint8Array): string =>
  Buffer.from(sealed).toString('hex', 0, NAME_BYTES);

/** The first characters of its SHA-256. */
const nameOf = (key: Uint8Array): string =>
  createHash('sha256')
    .update(key)
    .digest('hex')
    .slice(0, 2 * NAME_BYTES);
