/** Properties for any input. A failure prints its seed and the smallest input that causes it. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { sequencesFor } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
const encoded = fc.string().map((text) => encodeURIComponent(text.toWellFormed()));
const path = fc.oneof(
  fc.constantFrom(
    '/v1/pets',
    '/v1/pets/1',
    '/v1',
    '/livez',
    '/readyz',
    '/openapi.json',
    '/docs',
    '/',
  ),
  encoded.map((text) => `/v1/pets/${text}`),
  fc.array(encoded).map((parts) => `/${parts.join('/')}`),
  fc.string({ unit: 'binary-ascii' }).map((text) => `/v1/${text.replaceAll(/[^!-~]/g, '%')}`),
);
const parameter = fc
  .tuple(
    fc.constantFrom('limit', 'status', 'cursor', 'id', 'x', '__proto__', '%'),
    fc.oneof(encoded, fc.integer().map(String), fc.constantFrom('available', '1', '')),
  )
  .map((pair) => pair.join('='));
const header = fc.record(
  {
    'Content-Type': fc.constantFrom(
      'application/json',
      'text/plain',
      'application/json; charset=utf-16',
      ';;;',
    ),
    'Content-Encoding': fc.constantFrom('gzip', 'identity'),
    Prefer: fc.constantFrom('handling=strict', 'x', ',,,'),
    'X-Request-Id': fc.string({ unit: 'grapheme-ascii' }).map((text) => text.trim()),
    Accept: fc.string({ unit: 'grapheme-ascii' }).map((text) => text.trim()),
    Authorization: fc.string({ unit: 'grapheme-ascii' }).map((text) => text.trim()),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.uint8Array(),
  fc.json(),
  fc.string().map((text) => `{"name":${text}`),
  fc.constant(''),
);

test('any request never gets a 5xx, and every 4xx has the Error body with its status', async () => {
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      fc.array(parameter, { maxLength: 4 }),
      header,
      body,
      async (verb, target, query, headers, content) => {
        const response = await service.request(verb, `${target}?${query.join('&')}`, {
          headers,
          ...(['GET', 'HEAD'].includes(verb) ? {} : { body: content }),
        });
        expect(response.status).toBeLessThan(500);
        if (response.status >= 400 && verb !== 'HEAD') {
          expect(response.json).toEqual({
            code: expect.any(String),
            message: expect.any(String),
            status: response.status,
          });
        }
      },
    ),
    { numRuns: 5 * sequencesFor(40, 10) },
  );
});
