import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NAME_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

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

  /** The name of the key, nonce, tag and ciphertext. */
  seal(secret: Uint8Array): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keyOf(this.#current), nonce);
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.from(this.#current, 'hex'), nonce, cipher.getAuthTag(), text]);
  }

  /** @throws UnknownSealKey, or an error of the cipher if the sealed secret is damaged. */
  open(sealed: Uint8Array): Uint8Array {
    const bytes = Buffer.from(sealed);
    const [nonceAt, tagAt, textAt] = [NAME_BYTES, NAME_BYTES + NONCE_BYTES, OVERHEAD_BYTES];
    const key = this.#keyOf(bytes.toString('hex', 0, NAME_BYTES));
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(nonceAt, tagAt));
    decipher.setAuthTag(bytes.subarray(tagAt, textAt));
    return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]);
  }

  /** Whether the first key sealed it. */
  isCurrent(sealed: Uint8Array): boolean {
    return Buffer.from(sealed).toString('hex', 0, NAME_BYTES) === this.#current;
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

const OVERHEAD_BYTES = NAME_BYTES + NONCE_BYTES + TAG_BYTES;

/** The first characters of its SHA-256. */
const nameOf = (key: Uint8Array): string =>
  createHash('sha256')
    .update(key)
    .digest('hex')
    .slice(0, 2 * NAME_BYTES);
