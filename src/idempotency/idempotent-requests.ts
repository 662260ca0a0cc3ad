import { createHash } from 'node:crypto';
import { DAY_MS } from '../clock.ts';
import { RETRY_SOON, Refusal, refuse } from '../http/contract/errors.ts';
import type { Result } from '../http/contract/handler.ts';
import type { ReceivedRequest } from '../http/routing/execute.ts';
import { type Steps, wait } from '../steps.ts';
import type { IdempotencyRecordStore, IdempotencyScope } from './idempotency-record-store.ts';
import { type BodySaving, restoreResponse, saveResponse } from './saved-response.ts';

/** How long a record is valid. */
export const RECORD_LIFETIME_MS = DAY_MS;

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
 * @param saving how the body is saved, if not as its text.
 */
export function* executeOnce(
  { scope, fingerprint, secret }: IdempotentRequest,
  records: IdempotencyRecordStore,
  now: number,
  execute: () => Steps<Result | Refusal>,
  saving?: BodySaving,
): Steps<Result | Refusal> {
  const record = yield* wait(records.find(scope));
  if (record && record.savedAt > now - RECORD_LIFETIME_MS) {
    const isSameBody = Buffer.from(record.fingerprint).equals(fingerprint);
    return isSameBody
      ? restoreResponse(record.response, scope, secret, saving)
      : refuse('idempotency_key_reused');
  }
  const result = yield* execute();
  if (result instanceof Refusal) return result;
  const response = saveResponse(result, scope, secret, saving);
  if (record) yield* wait(records.delete(scope));
  yield* wait(records.save(scope, { fingerprint, response, savedAt: now }));
  return result;
}
