import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { Refusal, refuse } from '../http/errors.ts';
import { renderExactJson } from '../http/exact-json.ts';
import type { AnyAnswer, Asked } from '../http/operation.ts';
import { RenderedJson } from '../http/respond.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import type { KeptAnswerStore, RetryScope } from './kept-answer-store.ts';

/** How long a first answer is kept. */
export const KEPT_MS = 24 * 60 * 60 * 1000;

/** What a request with an Idempotency-Key is recognised by. */
export interface Retryable {
  readonly scope: RetryScope;
  readonly fingerprint: Uint8Array;
  /** The caller's API key: kept answers are encrypted under it, since some hold a secret. */
  readonly secret: string;
}

/** An opening and a closing quote, or neither; 1 to 255 printable ASCII characters between them. */
const IDEMPOTENCY_KEY = /^(?:"([ !#-[\]-~]{1,255})"|([!#-~]{1,255}))$/;

/**
 * What a request is recognised by if it is sent again, undefined when it does not ask for that
 * (draft-ietf-httpapi-idempotency-key-header-07; the key may be quoted or bare).
 */
export function retryableOf({
  request,
  path,
  principal,
  sent = new Uint8Array(),
}: Asked): Retryable | Refusal<'invalid_idempotency_key'> | undefined {
  const header = request.headers.get('idempotency-key');
  if (header === null || principal === undefined) return undefined;
  const [, quoted, bare] = IDEMPOTENCY_KEY.exec(header) ?? [];
  const idempotencyKey = quoted ?? bare;
  if (idempotencyKey === undefined) return refuse('invalid_idempotency_key');
  return {
    scope: { keyId: principal.keyId, operation: `${request.method} ${path}`, idempotencyKey },
    fingerprint: createHash('sha256').update(sent).digest(),
    secret: request.headers.get('authorization')?.split(' ').at(-1) ?? '',
  };
}

/** The requests that are being answered now, in this process: the same one again has to wait for its answer. */
export class RequestsInFlight {
  readonly #inFlight = new Set<string>();

  async only<T>({ keyId, operation, idempotencyKey }: RetryScope, work: () => Promise<T>) {
    const name = `${keyId} ${operation} ${idempotencyKey}`;
    if (this.#inFlight.has(name)) return refuse('idempotency_in_progress');
    this.#inFlight.add(name);
    try {
      return await work();
    } finally {
      this.#inFlight.delete(name);
    }
  }
}

/**
 * Carries out a request once, however often it is sent: what it answered is kept in the same
 * transaction as what it did, and answered again. Refusals are not kept, since nothing was done.
 */
export function onceOnly(
  retryable: Retryable,
  keptAnswers: KeptAnswerStore,
  clock: Clock,
  carryOut: () => MaybePromise<AnyAnswer | Refusal>,
): MaybePromise<AnyAnswer | Refusal> {
  const { scope, fingerprint } = retryable;
  const now = clock.now();
  return chain(keptAnswers.find(scope), (kept) => {
    if (kept && kept.keptAt > now - KEPT_MS) {
      if (!Buffer.from(kept.fingerprint).equals(fingerprint))
        return refuse('idempotency_key_reused');
      return replayed(open(kept.answer, retryable));
    }
    return chain(carryOut(), (answer) => {
      if (answer instanceof Refusal) return answer;
      const first = { fingerprint, answer: seal(answer, retryable), keptAt: now };
      return chain(kept && keptAnswers.forget(scope), () =>
        chain(keptAnswers.keep(scope, first), () => answer),
      );
    });
  });
}

interface SealedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const replayed = ({ status, headers, text }: SealedAnswer): AnyAnswer => ({
  status,
  body: new RenderedJson(text),
  headers: { ...headers, 'Idempotency-Replayed': 'true' },
});

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Only who sends the same API key and the same Idempotency-Key again can read what was kept. */
const encryptionKey = ({ secret, scope }: Retryable): Uint8Array =>
  createHash('sha256').update(`${secret}\n${scope.operation}\n${scope.idempotencyKey}`).digest();

/** Nonce, tag and ciphertext of an answer. */
function seal({ status, headers = {}, body }: AnyAnswer, retryable: Retryable): Uint8Array {
  const sealed: SealedAnswer = { status, headers, text: renderExactJson(body) };
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, encryptionKey(retryable), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(sealed), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function open(answer: Uint8Array, retryable: Retryable): SealedAnswer {
  const bytes = Buffer.from(answer);
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, encryptionKey(retryable), nonce);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'));
}
