/** The files of deploy/ for nginx, HAProxy and systemd, with these programs of Debian. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { GUARD } from '../support/guard.ts';
import { handbookBlock } from '../support/handbook.ts';
import { freePort } from '../support/postgres-home.ts';
import {
  bearer,
  parseLog,
  postPet,
  ROOT,
  type RunningService,
  runProgram,
  startService,
  type Workplace,
  workplace,
} from '../support/process.ts';
import { eventually } from './high-availability.ts';

const SEARCHED = `${process.env['PATH']}:/usr/sbin`;
const find = (program: string) => Bun.which(program, { PATH: SEARCHED });
const REX = { name: 'Rex', categoryId: 1 };
const REQUESTS = 300;

let place: Workplace;
beforeAll(() => {
  place = workplace();
});
afterAll(() => place?.remove());

/** A file of deploy/ with other ports, in this order of the originals. */
function withPorts(path: string, ports: Readonly<Record<string, number>>): string {
  let text = readFileSync(join(ROOT, 'deploy', path), 'utf8');
  for (const [original, port] of Object.entries(ports)) {
    expect(text).toContain(original);
    text = text.replaceAll(original, original.replace(/\d+(?=;?$)/, String(port)));
  }
  return text;
}

async function startProxy(command: readonly string[]): Promise<ChildProcess> {
  return spawn('sh', ['-c', GUARD, 'sh', ...command], { stdio: ['pipe', 'inherit', 'inherit'] });
}

async function stopProxy(proxy: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => proxy.once('close', resolve));
  proxy.stdin?.end();
  await gone;
}

const FLAGS = ['--trust-proxy', 'on', '--log-client-address', 'on'];

/** Sends a request line as it is. @returns the status of the response */
const statusOf = (origin: string, line: string, key: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { host, port, hostname } = new URL(origin);
    const head = [line, `Host: ${host}`, `Authorization: Bearer ${key}`, 'Connection: close'];
    let response = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(response.split(' ')[1])));
  });

/** Sends requests through a proxy, and compares what arrives. */
async function use(origin: string, services: readonly RunningService[], key: string) {
  await eventually('the proxy', async () =>
    (await fetch(`${origin}/readyz`)).status === 200 ? true : undefined,
  );
  const statuses = new Map<number, number>();
  for (let count = 0; count < REQUESTS; count += 1) {
    const response =
      count % 2 === 0
        ? await postPet(origin, key, REX)
        : await fetch(`${origin}/v1/pets`, bearer(key));
    await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  expect([...statuses]).toEqual([
    [201, REQUESTS / 2],
    [200, REQUESTS / 2],
  ]);
  // More than the service accepts, and less than the proxy refuses: the error is that of the service.
  const large = await postPet(origin, key, { name: 'x'.repeat(1_500_000), categoryId: 1 });
  expect([large.status, await large.json()]).toMatchObject([413, { code: 'content_too_large' }]);
  const forged = await fetch(`${origin}/v1/pets`, {
    headers: { ...bearer(key).headers, 'X-Forwarded-For': '203.0.113.7' },
  });
  expect(forged.status).toBe(200);
  expect(await statusOf(origin, `GET /v1\\pets HTTP/1.1`, key)).toBe(400);
  const lines = (await Promise.all(services.map((service) => service.stop()))).flatMap(
    ({ stdout }) => parseLog(stdout),
  );
  const requests = lines.filter((line) => line['http.route'] === '/v1/pets');
  expect(requests).toHaveLength(REQUESTS + 2);
  expect([...new Set(requests.map((line) => line['client.address']))]).toEqual(['127.0.0.1']);
}

describe.skipIf(find('nginx') === null)('nginx', () => {
  test('with deploy/nginx/animal-store.conf passes requests, errors and the address of the client', async () => {
    const service = await startService(place.file('nginx.db'), FLAGS);
    const port = await freePort();
    const text = withPorts('nginx/animal-store.conf', {
      'server 127.0.0.1:8080;': Number(new URL(service.origin).port),
      'listen 80;': port,
    });
    const included = await place.write('animal-store.conf', text);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${place.file(name)};`)
      .join(' ');
    const config = await place.write(
      'nginx.conf',
      `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; pid ${place.file('pid')}; error_log stderr; events {}\nhttp { access_log off; ${paths} include ${included}; }\n`,
    );
    const proxy = await startProxy([find('nginx') ?? '', '-c', config]);
    try {
      await use(`http://127.0.0.1:${port}`, [service], service.firstKey ?? '');
    } finally {
      await stopProxy(proxy);
    }
  });
});

describe.skipIf(find('haproxy') === null)('HAProxy', () => {
  test('with deploy/haproxy/haproxy.cfg passes requests, errors and the address of the client to two instances', async () => {
    const database = place.file('haproxy.db');
    const first = await startService(database, FLAGS);
    const second = await startService(database, FLAGS);
    const port = await freePort();
    const text = withPorts('haproxy/haproxy.cfg', {
      'bind 127.0.0.1:8080': port,
      'server a 127.0.0.1:8081': Number(new URL(first.origin).port),
      'server b 127.0.0.1:8082': Number(new URL(second.origin).port),
      'bind 127.0.0.1:8404': await freePort(),
    });
    const config = place.file('haproxy.cfg');
    writeFileSync(config, text);
    const proxy = await startProxy([find('haproxy') ?? '', '-db', '-f', config]);
    try {
      await use(`http://127.0.0.1:${port}`, [first, second], first.firstKey ?? '');
    } finally {
      await stopProxy(proxy);
    }
  });
});

test.skipIf(find('systemd-analyze') === null)(
  'systemd accepts the unit, and the lines of the handbook that add a credential',
  async () => {
    const unit = readFileSync(join(ROOT, 'deploy/systemd/animal-store.service'), 'utf8');
    const executable = await place.write('animal-store', '#!/bin/sh\n');
    await runProgram(['chmod', '+x', executable]);
    const path = await place.write(
      'animal-store.service',
      unit.replaceAll('/usr/local/bin/animal-store', executable),
    );
    await place.write(
      'animal-store.service.d/override.conf',
      handbookBlock('postgresql', 'credential'),
    );
    const { status, stderr } = await runProgram(['systemd-analyze', 'verify', path]);
    expect([status, stderr]).toEqual([0, '']);
  },
);
