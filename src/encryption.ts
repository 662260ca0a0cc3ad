import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TEXT_AT = NONCE_BYTES + TAG_BYTES;

/** Encrypts with a key of 32 bytes, so that a change is noticed: nonce, tag and ciphertext. */
export function encrypt(plain: Uint8Array, key: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** What `encrypt` encrypted. @throws an error of the cipher if the key is another one, or the bytes are damaged */
export function decrypt(encrypted: Uint8Array, key: Uint8Array): Buffer {
  const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, TEXT_AT));
  return Buffer.concat([decipher.update(encrypted.subarray(TEXT_AT)), decipher.final()]);
}
