import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { RETRY_SOON, Refusal, refuse } from '../http/contract/errors.ts';
import type { AnyResult } from '../http/contract/handler.ts';
import { renderExactJson } from '../http/request/exact-json.ts';
import { RenderedJson } from '../http/response/respond.ts';
import type { ReceivedRequest } from '../http/routing/execute.ts';
import { type Steps, wait } from '../steps.ts';
import type { IdempotencyRecordStore, IdempotencyScope } from './idempotency-record-store.ts';

/** How long a record is valid. */
export const RECORD_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** A request with an Idempotency-Key. */
export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  readonly fingerprint: Uint8Array;
  /** The client's API key. It encrypts the record because some responses contain a secret. */
  readonly secret: string;
}

/** In double quotes, or bare; 1 to 255 printable ASCII characters. */
const IDEMPOTENCY_KEY = /^(?:"([ !#-[\]-~]{1,255})"|([!#-~]{1,255}))$/;

/**
 * Reads the Idempotency-Key of a request (draft-ietf-httpapi-idempotency-key-header-07).
 * Returns undefined if it has none.
 */
export function readIdempotencyKey({
  request,
  ctx,
  bytes = new Uint8Array(),
}: ReceivedRequest): IdempotentRequest | Refusal<'invalid_idempotency_key'> | undefined {
  const header = request.headers.get('idempotency-key');
  const { principal, path } = ctx;
  if (header === null || principal === undefined) return undefined;
  const [, quoted, bare] = IDEMPOTENCY_KEY.exec(header) ?? [];
  const idempotencyKey = quoted ?? bare;
  if (idempotencyKey === undefined) return refuse('invalid_idempotency_key');
  return {
    scope: { keyId: principal.keyId, operation: `${request.method} ${path}`, idempotencyKey },
    fingerprint: createHash('sha256').update(bytes).digest(),
    secret: request.headers.get('authorization')?.split(' ').at(-1) ?? '',
  };
}

/** The idempotent requests in progress in this process. A second one with the same scope is refused. */
export class RequestsInProgress {
  readonly #scopes = new Set<string>();

  async run<T>({ keyId, operation, idempotencyKey }: IdempotencyScope, work: () => Promise<T>) {
    const name = `${keyId} ${operation} ${idempotencyKey}`;
    if (this.#scopes.has(name)) return refuse('idempotency_in_progress', undefined, RETRY_SOON);
    this.#scopes.add(name);
    try {
      return await work();
    } finally {
      this.#scopes.delete(name);
    }
  }
}

/**
 * Executes a request once, however often it is sent. The result is saved in the transaction of
 * the request and returned for each retry. Refusals are not saved because nothing was changed.
 */
export function* executeOnce(
  { scope, fingerprint, secret }: IdempotentRequest,
  records: IdempotencyRecordStore,
  now: number,
  execute: () => Steps<AnyResult | Refusal>,
): Steps<AnyResult | Refusal> {
  const record = yield* wait(records.find(scope));
  if (record && record.savedAt > now - RECORD_LIFETIME_MS) {
    const isSameBody = Buffer.from(record.fingerprint).equals(fingerprint);
    return isSameBody
      ? replay(decrypt(record.response, encryptionKey(secret, scope)))
      : refuse('idempotency_key_reused');
  }
  const result = yield* execute();
  if (result instanceof Refusal) return result;
  const response = encrypt(result, encryptionKey(secret, scope));
  if (record) yield* wait(records.delete(scope));
  yield* wait(records.save(scope, { fingerprint, response, savedAt: now }));
  return result;
}

/** A response as JSON, before encryption. */
interface SavedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const replay = ({ status, headers, text }: SavedResponse): AnyResult => ({
  status,
  body: new RenderedJson(text),
  headers: { ...headers, 'Idempotency-Replayed': 'true' },
});

/** Whether a result is the saved response of an earlier request. */
export const isReplay = ({ headers }: AnyResult): boolean =>
  headers?.['Idempotency-Replayed'] !== undefined;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A record can be read only by a client that sends the same API key and the same Idempotency-Key. */
const encryptionKey = (secret: string, { operation, idempotencyKey }: IdempotencyScope) =>
  createHash('sha256').update(`${secret}\n${operation}\n${idempotencyKey}`).digest();

/** Returns nonce, tag and ciphertext. */
function encrypt({ status, headers = {}, body }: AnyResult, key: Uint8Array): Uint8Array {
  const saved: SavedResponse = { status, headers, text: renderExactJson(body) };
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(saved), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function decrypt(response: Uint8Array, key: Uint8Array): SavedResponse {
  const bytes = Buffer.from(response);
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'));
}
