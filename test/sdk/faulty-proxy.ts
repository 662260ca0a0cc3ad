import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What happens to a request. */
export type Fault =
  /** The connection is reset before the service receives the request. */
  | { readonly kind: 'cut before' }
  /** The service handles the request, and the connection is reset without a response. */
  | { readonly kind: 'cut after' }
  /** The connection is reset in the middle of the body. */
  | { readonly kind: 'cut body' }
  /** The service handles the request, and nothing more happens. */
  | { readonly kind: 'stall' }
  /** The response stops in the middle of the body. */
  | { readonly kind: 'stall body' }
  /** A stream of events is reset so many bytes after its head. */
  | { readonly kind: 'cut stream'; readonly bytes: number }
  /** The request is not affected. */
  | { readonly kind: 'none' }
  /** The request is not affected, and the client can reuse its connection. */
  | { readonly kind: 'keep' }
  /** The proxy responds, and the service does not receive the request. */
  | Respond;

interface Respond {
  readonly kind: 'respond';
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request that arrived at the proxy. */
export interface Seen {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly idempotencyKey?: string | undefined;
}

export interface FaultyProxy {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Starts an HTTP proxy to the service on another port. It is controlled by HTTP, so that tests on any
 * platform can: `POST /faults` with an array of faults sets what happens to the next requests, one each,
 * and forgets the requests seen; `GET /seen` lists the requests since then; `POST /proxies` starts another proxy
 * to the same service, and returns its origin. Preflights are only forwarded.
 */
export async function startFaultyProxy(targetPort: number): Promise<FaultyProxy> {
  let faults: Fault[] = [];
  let seen: Seen[] = [];
  const clients = new Set<Socket>();
  const others: FaultyProxy[] = [];

  /** Returns the body of the response. Undefined if the request is for the service. */
  const control = async ({ method, path }: Seen, body: string): Promise<string | undefined> => {
    switch (`${method} ${path}`) {
      case 'POST /faults':
        faults = JSON.parse(body);
        seen = [];
        return '';
      case 'GET /seen':
        return JSON.stringify(seen);
      case 'POST /proxies': {
        const other = await startFaultyProxy(targetPort);
        others.push(other);
        return other.origin;
      }
      default:
        return undefined;
    }
  };

  const handle = async (client: Socket, text: string): Promise<void> => {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const [method = '', path = ''] = head.split(' ');
    const request = { method, path, idempotencyKey: /^idempotency-key: (.*)$/im.exec(head)?.[1] };
    const controlled = await control(request, body);
    if (controlled !== undefined) {
      const headers = { 'Access-Control-Allow-Origin': '*' };
      return void client.end(responseText({ status: 200, headers, body: controlled }));
    }
    if (method === 'OPTIONS') return void client.end(await forward(targetPort, text));
    seen.push(request);
    const fault = faults.shift();
    if (fault?.kind === 'cut before') return void client.resetAndDestroy();
    if (fault?.kind === 'respond') return void client.end(responseText(fault));
    if (path.startsWith('/v1/events/stream')) {
      return pipeStream(
        targetPort,
        text,
        client,
        fault?.kind === 'cut stream' ? fault.bytes : Infinity,
      );
    }
    const response = await forward(targetPort, text);
    apply(fault, client, response);
  };

  const listener = createServer((client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    let received = '';
    client.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (!isComplete(received)) return;
      const text = received;
      received = '';
      handle(client, text).catch(() => client.resetAndDestroy());
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    async close() {
      for (const client of clients) client.destroy();
      const closed = new Promise((resolve) => listener.close(resolve));
      await Promise.all([closed, ...others.map((other) => other.close())]);
    },
  };
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? 0);
  return end !== -1 && text.length >= end + 4 + length;
}

const CLOSE = '\r\nConnection: close\r\n';

/** Sends a request to the service on a connection of its own, and returns the whole response. */
function forward(port: number, text: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const closing = text.replace(/\r\nconnection: [^\r]*/i, '').replace('\r\n', CLOSE);
    const server = connect(port, '127.0.0.1', () => server.write(closing, 'latin1'));
    server.on('data', (chunk: Buffer) => chunks.push(chunk));
    server.on('close', () => resolve(withClose(Buffer.concat(chunks))));
    server.on('error', reject);
  });
}

/** Passes on a response as it comes, up to so many bytes after its head. */
function pipeStream(port: number, text: string, client: Socket, bytes: number): void {
  const server = connect(port, '127.0.0.1', () => server.write(text, 'latin1'));
  let received = Buffer.alloc(0);
  let sent = 0;
  server.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const bodyStart = received.indexOf('\r\n\r\n') + 4;
    if (bodyStart < 4) return;
    const end = Math.min(received.length, bodyStart + bytes);
    client.write(received.subarray(sent, end));
    sent = end;
    if (received.length < bodyStart + bytes) return;
    server.destroy();
    // The reset must not overtake what was sent.
    setTimeout(() => client.resetAndDestroy(), 5);
  });
  server.on('close', () => client.end());
  server.on('error', () => client.destroy());
  client.on('close', () => server.destroy());
}

/**
 * The client must not reuse its connection. Browsers repeat any request by themselves if a reused connection
 * breaks, so a fault would not reach the SDK.
 */
function withClose(response: Buffer): Buffer {
  const text = response.toString('latin1').replace(/\r\nconnection: [^\r]*/i, '');
  return Buffer.from(text.replace('\r\n', CLOSE), 'latin1');
}

function apply(fault: Fault | undefined, client: Socket, response: Buffer): void {
  const bodyStart = response.indexOf('\r\n\r\n') + 4;
  const half = response.subarray(0, bodyStart + Math.floor((response.length - bodyStart) / 2));
  switch (fault?.kind) {
    case 'cut after':
      client.resetAndDestroy();
      break;
    case 'cut body':
      // The reset must not overtake the half.
      client.write(half, () => setTimeout(() => client.resetAndDestroy(), 20));
      break;
    case 'stall':
      break;
    case 'keep':
      client.write(response.toString('latin1').replace(CLOSE, '\r\n'), 'latin1');
      break;
    case 'stall body':
      client.write(half);
      break;
    default:
      client.end(response);
  }
}

const responseText = ({ status, headers = {}, body = '' }: Omit<Respond, 'kind'>): string => {
  const own = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const fields = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${fields.join('')}\r\n${body}`;
};
