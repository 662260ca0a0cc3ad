import { createHmac } from 'node:crypto';
import { parseNetwork } from '../../src/http/request/networks.ts';
import { SecretSeal } from '../../src/webhooks/sealed-secrets.ts';
import { type SenderDeps, WebhookSender } from '../../src/webhooks/webhook-sender.ts';

/** A request that a receiver got. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Headers;
}

/** A receiver of webhooks, on a port of its own. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** How it responds from now on. */
  respond: (webhook: ReceivedWebhook) => Response | Promise<Response>;
}

/** It does not keep the process running. */
export function startReceiver(): Receiver {
  const received: ReceivedWebhook[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const { headers } = request;
      const { pathname: path } = new URL(request.url);
      const webhook = {
        id: headers.get('webhook-id') ?? '',
        path,
        body: await request.text(),
        headers,
      };
      received.push(webhook);
      return receiver.respond(webhook);
    },
  });
  server.unref();
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    respond: () => new Response(null, { status: 204 }),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return receiver;
}

/** The settings of a service that may send to this machine. */
export const LOCAL_WEBHOOKS = {
  WEBHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOK_ALLOW_HTTP: 'on',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

/** The same as flags. */
export const LOCAL_WEBHOOK_FLAGS = {
  webhookSecretKey: LOCAL_WEBHOOKS.WEBHOOK_SECRET_KEY,
  ...{ webhookAllowHttp: 'on', webhookAllowedNetworks: LOCAL_WEBHOOKS.WEBHOOK_ALLOWED_NETWORKS },
};

let shared: Receiver | undefined;

/** The URL of a receiver that accepts everything, as long as this process runs. */
export function sharedReceiver(): string {
  shared ??= startReceiver();
  return shared.url;
}

/** What a test service has. */
interface Storing {
  readonly database: { readonly read: { readonly events: { feed(): unknown } } };
  request(
    method: string,
    path: string,
    options?: { readonly body?: unknown },
  ): Promise<{ readonly json: unknown }>;
}

/** Adds an endpoint, with the delivery of an event. */
export async function addDelivery({ database, request }: Storing) {
  await database.read.events.feed();
  const created = { body: { url: sharedReceiver() } };
  const { json } = await request('POST', '/v1/webhook-endpoints', created);
  const { id: endpointId } = json as { id: number };
  const path = `/v1/webhook-endpoints/${endpointId}`;
  await request('POST', `${path}/replay`, { body: { after: '2020-01-01T00:00:00Z' } });
  const deliveries = await request('GET', `${path}/deliveries?limit=1`);
  const [{ id: deliveryId } = { id: 0 }] = deliveries.json as { id: number }[];
  return { endpointId, deliveryId };
}

const LOOPBACK = [parseNetwork('127.0.0.0/8')].filter((network) => network !== undefined);

/** A sender that may send to this machine. */
export const testSender = (deps: Pick<SenderDeps, 'clock'> & Partial<SenderDeps>): WebhookSender =>
  new WebhookSender({
    seal: new SecretSeal([Buffer.alloc(32, 7)]),
    allowHttp: true,
    allowedNetworks: LOOPBACK,
    ...deps,
  });

/** Whether a secret, such as `whsec_…`, has signed a webhook. */
export function isSignedBy({ id, body, headers }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const text = `${id}.${headers.get('webhook-timestamp')}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  return headers.get('webhook-signature')?.split(' ').includes(signature) === true;
}
