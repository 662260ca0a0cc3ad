import { WebhookVerificationError } from './errors.ts';
import { type Int64, type Int64Mode, type Int64Output, parseJson, renderJson } from './int64.ts';
import { checkInt64Mode, checkNames } from './options.ts';
import type { WebhookEvent } from './store-events.ts';

/** The headers of a request: a `Headers`, or an object with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions<Mode extends Int64Mode = Int64Mode> {
  /** The representation of 64-bit integers in the event. Default: `auto`. */
  readonly int64?: Mode | undefined;
  /** Returns the time in milliseconds since 1970-01-01T00:00:00Z. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const TOLERANCE_S = 300;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Checks as Standard Webhooks says that the service has sent a request, less than five minutes ago, and returns its event.
 * @param rawBody the body as it was received, as text or bytes
 * @param secrets one or several secrets of the endpoint (`whsec_…`), one of which must have signed
 * @throws WebhookVerificationError if the request is not from the service, not of now, or not complete
 * @throws TypeError if an argument is invalid
 */
export async function verifyWebhook<Mode extends Int64Mode = 'auto'>(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions<Mode> = {},
): Promise<WebhookEvent<Int64Output<Mode>>> {
  checkNames(options, ['int64', 'now']);
  const { int64, now = Date.now } = options;
  const mode = checkInt64Mode(int64);
  if (!(typeof rawBody === 'string' || ArrayBuffer.isView(rawBody) || isBuffer(rawBody)))
    throw new TypeError(
      'rawBody must be the body as it was received. Parsed JSON has other bytes.',
    );
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  ) as [string, string, string];
  const body = new Blob([rawBody as Uint8Array<ArrayBuffer>]);
  const signing = [secrets].flat().map((secret) => sign(secret, id, timestamp, body));
  const expected = await Promise.all(signing);
  if (expected.length === 0) throw new TypeError('secrets must not be empty.');
  const ageS = Math.floor(now() / 1_000) - Number(timestamp);
  if (!(/^\d+$/.test(timestamp) && Math.abs(ageS) <= TOLERANCE_S))
    throw new WebhookVerificationError(
      'webhook-timestamp: must be within five minutes of now. The request is old, or a clock is wrong.',
    );
  if (!signatures.split(' ').some((one) => expected.some((other) => areEqual(one, other))))
    throw new WebhookVerificationError(
      'webhook-signature: No signature matches. The secret is another one, or the body is not as it was sent.',
    );
  try {
    return parseJson(await body.text(), mode) as WebhookEvent<Int64Output<Mode>>;
  } catch (cause) {
    const { message } = cause as Error;
    throw new WebhookVerificationError(`The body cannot be read: ${message}`, { cause });
  }
}

/**
 * Makes the request with which the service would send an event, for the test of a receiver.
 * @throws TypeError if an argument is invalid
 */
export async function testWebhook(
  event: WebhookEvent<Int64 | string>,
  secret: string,
  options: Pick<VerifyOptions, 'now'> = {},
): Promise<{ readonly body: string; readonly headers: Readonly<Record<string, string>> }> {
  checkNames(options, ['now']);
  const { now = Date.now } = options;
  // A test may choose an id that looks like an integer. It is always a text.
  const { id, ...rest } = event;
  const body = `{"id":${JSON.stringify(id)},${renderJson(rest).slice(1)}`;
  const timestamp = String(Math.floor(now() / 1_000));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': await sign(secret, id, timestamp, body),
  };
  return { body, headers };
}

/** Also of another realm, as in Jest. */
const isBuffer = (value: unknown): boolean =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`${name}: The header is missing.`);
}

/** The signature of version 1. */
async function sign(secret: string, id: string, timestamp: string, body: string | Blob) {
  const key = await crypto.subtle.importKey('raw', keyOf(secret), HMAC, false, ['sign']);
  const signed = await new Blob([`${id}.${timestamp}.`, body]).arrayBuffer();
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return `v1,${btoa(String.fromCharCode(...bytes))}`;
}

function keyOf(secret: unknown) {
  const [, base64 = '!'] = /^whsec_(\S{2,})$/.exec(String(secret)) ?? [];
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new TypeError('A secret must be whsec_ and base64.');
  }
}

/** Takes as long wherever they differ. */
function areEqual(actual: string, expected: string): boolean {
  let difference = actual.length ^ expected.length;
  for (let at = 0; at < expected.length; at++)
    difference |= actual.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}
