import { createHash } from 'node:crypto';
import { decrypt, encrypt } from '../encryption.ts';
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

/**
 * Saves a response, encrypted.
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
  return encrypt(Buffer.from(renderExactJson(saved)), encryptionKey(scope, secret));
}

/** The response that `saveResponse` saved, for the same request. */
export function restoreResponse(
  response: Uint8Array,
  scope: IdempotencyScope,
  secret: string,
  saving: BodySaving | undefined,
): Result {
  const text = decrypt(response, encryptionKey(scope, secret)).toString();
  const saved = parseExactJson(text) as unknown as SavedResponse;
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
