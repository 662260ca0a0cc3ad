/** The OpenAPI document at /openapi.json. */
import { describe, expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import { baseUrlsOf, originOf } from '../../../src/config/base-urls.ts';
import { openApiDocument } from '../../../src/http/document/openapi.ts';
import { parseExactJson, renderExactJson } from '../../../src/http/request/exact-json.ts';
import { COMMITTED } from '../../support/openapi-document.ts';
import { BASE_URLS, startService } from '../../support/service.ts';

async function fetchDocument(extensions: boolean) {
  await using service = await startService({ options: { extensions } });
  return await service.request('GET', '/openapi.json', { key: null });
}

describe('/openapi.json', () => {
  test('is the committed document with the configured base URLs', async () => {
    const servers = [
      { url: BASE_URLS.production, description: 'Production', 'x-internal': false },
      { url: BASE_URLS.staging, description: 'Staging', 'x-internal': false },
    ];
    expect((await fetchDocument(true)).json).toEqual({ ...COMMITTED, servers } as object);
  });

  test('is the generated document without extensions with EXTENSIONS=off', async () => {
    const generated = renderExactJson(openApiDocument(operationsOf(false), BASE_URLS, false));
    expect((await fetchDocument(false)).json).toEqual(parseExactJson(generated));
  });

  test.each([
    ['production', 'http://127.0.0.1:8080/v1', undefined],
    ['staging', undefined, 'http://127.0.0.1:8080/v1'],
  ] as const)('names no other environment than %s unless it is set', (...row) => {
    const [environment, production, staging] = row;
    const origin = 'http://127.0.0.1:8080';
    const unset = { environment, baseUrl: undefined, stagingBaseUrl: undefined };
    expect(baseUrlsOf(unset, origin)).toEqual({ production, staging });
    const [baseUrl, stagingBaseUrl] = ['https://a.test/v1', 'https://b.test/v1'];
    const set = { environment, baseUrl, stagingBaseUrl };
    expect(baseUrlsOf(set, origin)).toEqual({ production: baseUrl, staging: stagingBaseUrl });
    const { servers } = openApiDocument(operationsOf(true), baseUrlsOf(unset, origin), true);
    expect(servers?.map(({ url }) => url)).toEqual([`${origin}/v1`]);
  });

  test.each([
    ['0.0.0.0', 'http://127.0.0.1:1'],
    ['::', 'http://127.0.0.1:1'],
    ['::1', 'http://[::1]:1'],
    ['shop.test', 'http://shop.test:1'],
  ])('of a service on %s names %s', (host, origin) => expect(originOf(host, 1)).toBe(origin));
});
