/** A client that reads slowly makes the service keep what it has not sent. */
import { afterAll, test as anywhere, beforeAll, expect } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningService, startService, until, workplace } from '../support/process.ts';
import { residentMib, type SlowReader, slowReaders } from './slow-readers.ts';

const READERS = 400;
const LIMIT_MIB = 10;
/** Of what the responses share. Without it, they share the bytes in the same way. */
const CODING = 'br';

/** They link to all other files. */
const PAGES = ['/openapi.json', '/docs', '/'];

async function readFiles(origin: string): Promise<Map<string, Buffer>> {
  const headers = { 'Accept-Encoding': CODING };
  const contents = new Map<string, Buffer>();
  const paths = new Set(PAGES);
  // The loop also visits the paths that it adds.
  for (const path of paths) {
    const response = await fetch(origin + path, { headers, decompress: false });
    expect([path, response.status]).toEqual([path, 200]);
    contents.set(path, Buffer.from(await response.arrayBuffer()));
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    const page = await (await fetch(origin + path)).text();
    for (const [, link = ''] of page.matchAll(/(?:src|href)="([^"#]+)"/g)) {
      const { origin: other, pathname } = new URL(link, response.url);
      if (other === origin) paths.add(pathname);
    }
  }
  return contents;
}

/** Everything that the server sends until it closes the connection. */
async function readAll(reader: SlowReader): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (;;) {
    const part = reader.read(64 * 1024);
    if (part?.length === 0) return Buffer.concat(parts);
    if (part === undefined) await sleep(1);
    else parts.push(part);
  }
}

const test = anywhere.skipIf(process.platform !== 'linux');

const place = workplace();
let service: RunningService;
let contents: Map<string, Buffer>;
beforeAll(async () => {
  service = await startService(place.database);
  contents = await readFiles(service.origin);
});
afterAll(async () => {
  await service.stop();
  place.remove();
});

/** Returns a function that requests a file with a small receive buffer. */
function slowly(): (path: string) => SlowReader {
  const connect = slowReaders(Number(new URL(service.origin).port));
  const fields = `Host: x\r\nConnection: close\r\nAccept-Encoding: ${CODING}`;
  return (path) => connect(`GET ${path} HTTP/1.1\r\n${fields}\r\n\r\n`);
}

test(`${READERS} clients that read a byte of the largest file now and then need less than ${LIMIT_MIB} MiB together`, async () => {
  const [[largest] = ['']] = [...contents].sort(([, a], [, b]) => b.length - a.length);
  expect(largest).toMatch(/^\/console\/.*\.js$/);
  const before = residentMib(service.pid);
  const request = slowly();
  const readers = Array.from({ length: READERS }, () => request(largest));
  for (let round = 0; round < 2; round += 1) {
    for (const reader of readers) await until(() => reader.read(1) !== undefined);
  }
  expect(residentMib(service.pid) - before).toBeLessThan(LIMIT_MIB);
  for (const reader of readers) reader.close();
});

test('clients that read slowly get each file whole', async () => {
  const request = slowly();
  const received = [...contents.keys()].map(async (path) => {
    const reader = request(path);
    const bytes = await readAll(reader);
    reader.close();
    return [path, bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)] as const;
  });
  expect(new Map(await Promise.all(received))).toEqual(contents);
});
