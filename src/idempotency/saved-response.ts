import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Result } from '../http/contract/handler.ts';
import { type ExactJson, parseExactJson, renderExactJson } from '../http/request/exact-json.ts';
import { RenderedJson } from '../http/response/respond.ts';
import type { IdempotencyScope } from './idempotency-record-store.ts';

/** What a record keeps of a body, and how the body is made of it again for the same request. */
export interface BodySaving {
  readonly keep: (body: unknown) => unknown;
  readonly rebuild: (kept: ExactJson) => unknown;
}

/** A response as JSON, before encryption. */
type SavedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
} & ({ readonly text: string } | { readonly kept: ExactJson });

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Saves a response, encrypted: nonce, tag and ciphertext.
 * @param secret the API key of the request.
 * @param saving undefined: the record keeps the text of the body.
 */
export function saveResponse(
  { status, headers = {}, body }: Result,
  scope: IdempotencyScope,
  secret: string,
  saving: BodySaving | undefined,
): Uint8Array {
  const saved = saving
    ? { status, headers, kept: saving.keep(body) }
    : { status, headers, text: renderExactJson(body) };
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, encryptionKey(scope, secret), nonce);
  const text = Buffer.concat([cipher.update(renderExactJson(saved), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** The response that `saveResponse` saved, for the same request. */
export function restoreResponse(
  response: Uint8Array,
  scope: IdempotencyScope,
  secret: string,
  saving: BodySaving | undefined,
): Result {
  const saved = decrypt(response, encryptionKey(scope, secret));
  const body = 'text' in saved ? new RenderedJson(saved.text) : saving?.rebuild(saved.kept);
  return {
    status: saved.status,
    body,
    headers: { ...saved.headers, 'Idempotency-Replayed': 'true' },
  };
}

/** Whether a result is the saved response of an earlier request. */
export const isReplay = ({ headers }: Result): boolean =>
  headers?.['Idempotency-Replayed'] !== undefined;

/** A record can be read only by a client that sends the same API key and the same Idempotency-Key. */
const encryptionKey = ({ operation, idempotencyKey }: IdempotencyScope, secret: string) =>
  createHash('sha256').update(`${secret}\n${operation}\n${idempotencyKey}`).digest();

function decrypt(response: Uint8Array, key: Uint8Array): SavedResponse {
  const bytes = Buffer.from(response);
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  const json = Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  return parseExactJson(json) as unknown as SavedResponse;
}
