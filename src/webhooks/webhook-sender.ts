import { createHmac, randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Clock, type MonotonicClock, toIso } from '../clock.ts';
import { isAllowedAddress, type Network } from '../http/request/networks.ts';
import { SecretSeal } from './sealed-secrets.ts';

/** Why an attempt failed. */
export const DELIVERY_ERRORS = [
  'name_not_found',
  'address_refused',
  'connection_failed',
  'timed_out',
  'redirected',
  'unsuccessful_status',
  'event_damaged',
  'secret_unreadable',
  'restored',
] as const;
type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** What became of an attempt. */
export interface Attempt {
  /** Undefined: it succeeded. */
  readonly error?: DeliveryError;
  /** The status of the response. Undefined: there was none. */
  readonly responseStatus?: number;
  readonly durationMs: number;
  /** The header Retry-After of the response, in milliseconds from now. */
  readonly retryAfterMs?: number;
}

/** The IP addresses of a host. Rejects if there are none. */
type Resolve = (host: string) => Promise<readonly string[]>;

export interface SenderDeps {
  readonly clock: Clock & MonotonicClock;
  readonly seal: SecretSeal;
  /** Whether a URL may have http. */
  readonly allowHttp: boolean;
  /** The networks that are allowed beside the public internet. */
  readonly allowedNetworks: readonly Network[];
  /** For tests. */
  readonly resolve?: Resolve;
}

/** The settings of sending. */
interface WebhookSettings {
  readonly webhookSecretKeys?: readonly Uint8Array[] | undefined;
  readonly webhookAllowHttp: boolean;
  readonly webhookAllowedNetworks?: readonly Network[] | undefined;
}

/** Creates a sender. Undefined: there is no key to seal secrets. */
export function createSender(
  { webhookSecretKeys: keys, webhookAllowHttp, webhookAllowedNetworks = [] }: WebhookSettings,
  clock: SenderDeps['clock'],
): WebhookSender | undefined {
  if (keys === undefined) return undefined;
  return new WebhookSender({
    clock,
    seal: new SecretSeal(keys),
    allowHttp: webhookAllowHttp,
    allowedNetworks: webhookAllowedNetworks,
  });
}

/** What is sent, as Standard Webhooks says. */
interface Message {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  /** The open secrets, each of which signs. */
  readonly secrets: readonly Uint8Array[];
}

const SECRET_BYTES = 24;
const PING_TIMEOUT_MS = 5_000;
const MAX_URL_LENGTH = 2_048;

const resolveByName: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Signs messages and sends them to receivers, which may be anywhere: never into a network that is not allowed. */
export class WebhookSender {
  constructor(readonly deps: SenderDeps) {}

  get seal(): SecretSeal {
    return this.deps.seal;
  }

  newSecret(): Uint8Array {
    return randomBytes(SECRET_BYTES);
  }

  /** Why a URL cannot be one of a receiver. Undefined if it can. */
  problemOf(url: string): string | undefined {
    const schemes = this.deps.allowHttp ? ['http:', 'https:'] : ['https:'];
    const isText = url.length <= MAX_URL_LENGTH && /^[!-~]+$/.test(url);
    const parsed = isText ? URL.parse(url) : null;
    if (parsed === null || !schemes.includes(parsed.protocol) || parsed.hash) {
      const kind = this.deps.allowHttp ? 'an http or https URL' : 'an https URL';
      return `must be ${kind} of at most ${MAX_URL_LENGTH} ASCII characters, without a space or a fragment`;
    }
    return parsed.username || parsed.password ? 'must not contain a user or a password' : undefined;
  }

  /** Sends an event that asks for nothing but a response. @param sealed the secrets that sign it. */
  async ping(url: string, sealed: readonly Uint8Array[]): Promise<Attempt> {
    const { clock, seal } = this.deps;
    let secrets: Uint8Array[];
    try {
      secrets = sealed.map((secret) => seal.open(secret));
    } catch {
      return { error: 'secret_unreadable', durationMs: 0 };
    }
    const id = `ping-${randomBytes(8).toString('hex')}`;
    const body = JSON.stringify({ id, type: 'ping', timestamp: toIso(clock.now()), data: {} });
    return this.send({ url, id, body, secrets }, AbortSignal.timeout(PING_TIMEOUT_MS));
  }

  /** Sends a message once. Resolves with what became of it, also if the signal aborts it. */
  async send(message: Message, signal: AbortSignal): Promise<Attempt> {
    const { monotonicMs } = this.deps.clock;
    const startedMs = monotonicMs();
    const attempt = await this.#attempt(message, signal);
    return { ...attempt, durationMs: Math.round(monotonicMs() - startedMs) };
  }

  async #attempt(message: Message, signal: AbortSignal): Promise<Omit<Attempt, 'durationMs'>> {
    const url = new URL(message.url);
    const { resolve = resolveByName, allowHttp } = this.deps;
    // The endpoint can be from a time when http was allowed.
    if (url.protocol === 'http:' && !allowHttp) return { error: 'address_refused' };
    const host = url.hostname.replace(/^\[|\]$/g, '');
    let addresses: readonly string[];
    try {
      addresses = isIP(host) > 0 ? [host] : await orAborted(resolve(host), signal);
    } catch {
      return { error: signal.aborted ? 'timed_out' : 'name_not_found' };
    }
    const isAllowed = (address: string) => isAllowedAddress(address, this.deps.allowedNetworks);
    // Another address of the same name may be the one that is used later, so all must be allowed.
    if (!addresses.every(isAllowed)) return { error: 'address_refused' };
    // IPv4 first: not each host has IPv6.
    for (const address of addresses.toSorted((one, other) => isIP(one) - isIP(other))) {
      try {
        return toAttempt(await this.#fetch(message, url, host, address, signal), this.deps.clock);
      } catch {
        if (signal.aborted) return { error: 'timed_out' };
      }
    }
    return { error: addresses.length === 0 ? 'name_not_found' : 'connection_failed' };
  }

  /** To the address that was checked: a second resolution could return another one. */
  #fetch(message: Message, url: URL, host: string, address: string, signal: AbortSignal) {
    const target = new URL(url);
    target.hostname = isIP(address) === 6 ? `[${address}]` : address;
    const timestamp = Math.floor(this.deps.clock.now() / 1_000);
    return fetch(target, {
      method: 'POST',
      body: message.body,
      redirect: 'manual',
      // Otherwise a connection to one host could be used for another one at the same address.
      keepalive: false,
      signal,
      ...(isIP(host) === 0 && { tls: { serverName: host } }),
      headers: {
        Host: url.host,
        'Content-Type': 'application/json',
        'User-Agent': 'animal-store-webhooks',
        'webhook-id': message.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': message.secrets
          .map((secret) => signatureOf(secret, `${message.id}.${timestamp}.${message.body}`))
          .join(' '),
      },
    });
  }
}

/** The text of a secret, as Standard Webhooks says. */
export const formatSecret = (secret: Uint8Array): string =>
  `whsec_${Buffer.from(secret).toString('base64')}`;

const signatureOf = (secret: Uint8Array, text: string): string =>
  `v1,${createHmac('sha256', secret).update(text).digest('base64')}`;

/** Nobody needs the body of a response. */
function toAttempt(response: Response, clock: Clock): Omit<Attempt, 'durationMs'> {
  const { status, ok, headers } = response;
  void response.body?.cancel().catch(() => {});
  if (ok) return { responseStatus: status };
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), clock);
  return {
    error: status >= 300 && status < 400 ? 'redirected' : 'unsuccessful_status',
    responseStatus: status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** A number of seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterOf(text: string | null, clock: Clock): number | undefined {
  const ms = /^\d+$/.test(text ?? '') ? Number(text) * 1_000 : Date.parse(text ?? '') - clock.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** A resolution cannot be aborted. */
const orAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }),
  ]);
