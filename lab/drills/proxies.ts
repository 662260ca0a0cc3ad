/** nginx and HAProxy of Debian with the files of deploy/, in front of real services. */
import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createAuthority } from '../../test/support/certificates.ts';
import { GUARD } from '../../test/support/guard.ts';
import { freePort } from '../../test/support/postgres-home.ts';
import {
  bearer,
  ROOT,
  type RunningService,
  startService,
  type Workplace,
  workplace,
} from '../../test/support/process.ts';
import { eventually } from '../eventually.ts';

const SEARCHED = `${process.env['PATH']}:/usr/sbin`;
export const find = (program: string) => Bun.which(program, { PATH: SEARCHED });

export type ProxyName = 'nginx' | 'HAProxy';
export const NAMES: readonly ProxyName[] = ['nginx', 'HAProxy'];

export const REX = { name: 'Rex', categoryId: 1 };

export interface RunningProxy {
  /** https, with a certificate for localhost. */
  readonly origin: string;
  /** The address that redirects. */
  readonly plain: string;
  readonly services: readonly RunningService[];
  readonly key: string;
  fetch(path: string, options?: RequestInit): Promise<Response>;
  /** Sends lines as they are. @returns what arrives until the connection is closed. */
  send(lines: readonly string[], drip?: string): Promise<string>;
  /** The access log so far. */
  log(): string;
}

/** A file of deploy/ with other ports and paths. */
function substituted(path: string, others: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(ROOT, 'deploy', path), 'utf8');
  for (const [original, other] of Object.entries(others)) {
    expect(text).toContain(original);
    text = text.replaceAll(original, other);
  }
  return text;
}

/** What the file of an operator has in addition, to forbid /v1/api-keys. */
const FORBIDDING: Readonly<Record<ProxyName, Readonly<Record<string, string>>>> = {
  nginx: { '  location / {': '  location /v1/api-keys { return 403; }\n  location / {' },
  HAProxy: {
    '  default_backend instances':
      '  http-request deny deny_status 403 if { path_beg /v1/api-keys }\n  default_backend instances',
  },
};

interface Parts {
  readonly place: Workplace;
  /** Of the instances. */
  readonly instances: readonly number[];
  readonly ports: { readonly secure: number; readonly plain: number };
  readonly certificate: { readonly certificate: string; readonly key: string };
  readonly added: Readonly<Record<string, string>>;
}

async function nginxCommand({ place, instances, ports, certificate, added }: Parts) {
  const included = await place.write(
    'animal-store.conf',
    substituted('nginx/animal-store.conf', {
      'server 127.0.0.1:8080;': `server 127.0.0.1:${instances[0]};`,
      'listen 80;': `listen 127.0.0.1:${ports.plain};`,
      'listen 443 ssl;': `listen 127.0.0.1:${ports.secure} ssl;`,
      '/etc/nginx/store.crt': await place.write('store.crt', certificate.certificate),
      '/etc/nginx/store.key': await place.write('store.key', certificate.key),
      '/var/log/nginx/animal-store.log': place.file('access.log'),
      ...added,
    }),
  );
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${place.file(name)};`)
    .join(' ');
  const user = process.getuid?.() === 0 ? 'user root; ' : '';
  const main = `${user}daemon off; pid ${place.file('pid')}; error_log stderr crit; events {}`;
  const http = `http { ${paths} include ${included}; }`;
  return [find('nginx') ?? '', '-c', await place.write('nginx.conf', `${main}\n${http}\n`)];
}

async function haproxyCommand({ place, instances, ports, certificate, added }: Parts) {
  const pem = `${certificate.certificate}${certificate.key}`;
  const config = await place.write(
    'haproxy.cfg',
    substituted('haproxy/haproxy.cfg', {
      'bind :80\n': `bind 127.0.0.1:${ports.plain}\n`,
      'bind :443': `bind 127.0.0.1:${ports.secure}`,
      '/etc/haproxy/store.pem': await place.write('store.pem', pem),
      'server a 127.0.0.1:8081': `server a 127.0.0.1:${instances[0]}`,
      'server b 127.0.0.1:8082': `server b 127.0.0.1:${instances[1]}`,
      'bind 127.0.0.1:8404': `bind 127.0.0.1:${await freePort()}`,
      ...added,
    }),
  );
  return [find('haproxy') ?? '', '-db', '-f', config];
}

const COMMANDS = { nginx: nginxCommand, HAProxy: haproxyCommand };
const FLAGS = ['--trust-proxy', 'on', '--log-client-address', 'on'];

interface ProxyOptions {
  /** Whether the proxy forbids /v1/api-keys. */
  readonly forbids?: boolean;
}

/** Runs `work` with a proxy in front of two services on one database. nginx uses the first one. */
export async function withProxy(
  name: ProxyName,
  work: (proxy: RunningProxy) => Promise<void>,
  { forbids = false }: ProxyOptions = {},
): Promise<void> {
  const place = workplace();
  const authority = createAuthority('Authority');
  const certificate = authority.issue({ name: 'localhost', hosts: ['localhost'] });
  const ports = { secure: await freePort(), plain: await freePort() };
  const origin = `https://localhost:${ports.secure}`;
  const instances = [await freePort(), await freePort()];
  const services: RunningService[] = [];
  for (const port of instances) {
    const flags = [...FLAGS, '--port', String(port), '--base-url', `${origin}/v1`];
    services.push(await startService(place.database, flags));
  }
  const added = forbids ? FORBIDDING[name] : {};
  const command = await COMMANDS[name]({ place, instances, ports, certificate, added });
  const child = spawn('sh', ['-c', GUARD, 'sh', ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const gone = new Promise((resolve) => child.once('close', resolve));
  const proxy: RunningProxy = {
    origin,
    plain: `http://127.0.0.1:${ports.plain}`,
    services,
    key: services[0]?.firstKey ?? '',
    fetch: (path, options) =>
      fetch(origin + path, { ...options, tls: { ca: authority.certificate } }),
    send: (lines, drip) => send(ports.secure, authority.certificate, lines, drip),
    log: () => (name === 'nginx' ? place.read('access.log').toString() : printed),
  };
  try {
    await eventually('the proxy', async () =>
      (await proxy.fetch('/readyz')).status === 200 ? true : undefined,
    );
    await work(proxy);
  } finally {
    child.stdin.end();
    await gone;
    await Promise.all(services.map((service) => service.stop()));
    place.remove();
  }
}

/** Runs drills with a proxy, if it is installed. */
export function drillsOf(name: ProxyName) {
  const isMissing = find(name.toLowerCase()) === null;
  const drill = (title: string, work: (proxy: RunningProxy) => Promise<void>) =>
    test.skipIf(isMissing)(title, () => withProxy(name, work));
  return { drill, isMissing };
}

export const add = (
  { fetch, key }: RunningProxy,
  animal: unknown,
  headers: Record<string, string> = {},
) =>
  fetch('/v1/pets', {
    method: 'POST',
    headers: { ...bearer(key).headers, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(animal),
  });

/** The headers of a client that accepts compressed responses. */
export const accepting = ({ key }: RunningProxy, headers: Record<string, string> = {}) => ({
  ...bearer(key).headers,
  'Accept-Encoding': 'gzip',
  ...headers,
});

/** The time between two parts of a request that is sent slowly. */
const DRIP_MS = 500;
/** Longer than the limits of the files, and shorter than the 60 s that a proxy without them waits. */
const OPEN_LIMIT_MS = 45_000;

/**
 * Sends lines over TLS, without an end of the head unless the last line is empty.
 * @param drip sent again and again until the connection is closed.
 * @throws if the proxy does not close it.
 */
function send(port: number, ca: string, lines: readonly string[], drip?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const options = { port, host: '127.0.0.1', servername: 'localhost', ca };
    const socket = connect(options, () => socket.write(`${lines.join('\r\n')}\r\n`));
    const timer = drip === undefined ? undefined : setInterval(() => socket.write(drip), DRIP_MS);
    const limit = setTimeout(
      () => socket.destroy(new Error('The proxy keeps a connection on which no request arrives.')),
      OPEN_LIMIT_MS,
    );
    socket.on('data', (chunk) => {
      response += chunk;
    });
    // A proxy that has closed resets a connection on which more arrives.
    socket.on('error', (error) => {
      if (!('code' in error)) reject(error);
    });
    socket.on('close', () => {
      clearInterval(timer);
      clearTimeout(limit);
      resolve(response);
    });
  });
}
