/** The documents outside /v1: validators and content codings (RFC 9110 §12.5.3, §13.1.2). */
import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { preferredCoding } from '../../../src/http/request/content-coding.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const DECODE: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** Sends a request. The bytes are as sent: nothing decodes them. */
async function send(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = new Request(`http://127.0.0.1${path}`, { method, headers });
  const response = await service.app.fetch(request);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

test.each<[string | null, string | null]>([
  [null, null],
  ['', null],
  ['identity', null],
  ['deflate', null],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, br;q=0.9', 'gzip'],
  ['gzip ; q=0.500, br;q=0.501', 'br'],
  ['gzip;q=0', null],
  ['gzip;q=0.000, br;q=0', null],
  ['*', 'br'],
  ['*;q=0', null],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.5, identity;q=1', null],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['*;q=0.5, br;q=0.1, gzip;q=0.2', null],
  ['identity;q=0', null],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['gzip;q=2', null],
  ['gzip;q=0.5000', null],
  ['gzip;level=9', null],
  ['gzipped', null],
  ['b r, gzip', 'gzip'],
  [', ,gzip', 'gzip'],
])('with Accept-Encoding "%s" the coding %s is preferred', (accepted, coding) => {
  expect(preferredCoding(accepted, ['br', 'gzip']) ?? null).toBe(coding);
});

describe.each(['/openapi.json', '/docs'])('%s', (path) => {
  test.each([
    ['identity', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
  ])('with Accept-Encoding "%s" has the coding %s', async (accepted, coding) => {
    const plain = await send(path);
    expect(plain.headers.has('content-encoding')).toBe(false);
    const { status, headers, bytes } = await send(path, { 'Accept-Encoding': accepted });
    expect([status, headers.get('content-encoding')]).toEqual([200, coding]);
    const decoded = coding === null ? bytes : DECODE[coding]?.(bytes);
    expect(Buffer.from(decoded ?? [])).toEqual(Buffer.from(plain.bytes));
    expect(headers.get('content-type')).toBe(plain.headers.get('content-type'));
    if (coding !== null) expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
    // It may be stored, and must be revalidated.
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('vary')).toBe('Accept-Encoding');
  });

  test('has a strong tag of its own in each coding', async () => {
    const tags = new Set<string | null>();
    for (const accepted of ['identity', 'gzip', 'br']) {
      const first = await send(path, { 'Accept-Encoding': accepted });
      const again = await send(path, { 'Accept-Encoding': accepted });
      expect(first.headers.get('etag')).toMatch(/^"[^"]+"$/);
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
      tags.add(first.headers.get('etag'));
    }
    expect(tags.size).toBe(3);
  });

  test.each(['identity', 'gzip', 'br'])('is 304 in %s if the tag matches', async (accepted) => {
    const { headers: sent } = await send(path, { 'Accept-Encoding': accepted });
    const etag = sent.get('etag') ?? '';
    for (const method of ['GET', 'HEAD'])
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const headers = { 'Accept-Encoding': accepted, 'If-None-Match': tag };
        const response = await send(path, headers, method);
        expect([response.status, response.bytes.length]).toEqual([304, 0]);
        for (const name of ['etag', 'cache-control', 'vary'])
          expect(response.headers.get(name)).toBe(sent.get(name));
        for (const name of ['content-type', 'content-encoding', 'content-length'])
          expect(response.headers.has(name)).toBe(false);
      }
  });

  test('is sent again if the tag is another one, also that of another coding', async () => {
    const { headers: plain } = await send(path);
    for (const tag of ['"other"', plain.get('etag') ?? '']) {
      const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': tag };
      expect((await send(path, headers)).status).toBe(200);
    }
  });

  test.each(['identity', 'gzip', 'br'])(
    'has for HEAD the headers of GET in %s',
    async (accepted) => {
      const got = await send(path, { 'Accept-Encoding': accepted });
      const { status, headers, bytes } = await send(path, { 'Accept-Encoding': accepted }, 'HEAD');
      expect([status, bytes.length]).toEqual([200, 0]);
      expect(headers.get('content-length')).toBe(String(got.bytes.length));
      for (const name of ['etag', 'content-type', 'content-encoding', 'cache-control', 'vary'])
        expect(headers.get(name)).toBe(got.headers.get(name));
    },
  );
});
