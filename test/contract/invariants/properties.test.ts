/** Properties for any input. A failure prints its seed and the smallest input that causes it. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { anyName, anyNewPet } from '../../support/arbitraries.ts';
import { countPets } from '../../support/catalogue.ts';
import { sequencesFor } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const create = (body: unknown) =>
  service.request('POST', '/v1/pets', { body: renderExactJson(body) });

describe('any invalid NewPet', () => {
  const wrongName = fc.oneof(
    fc.constantFrom('', ' ', '\t', 'a\0b', '\ud800', '\udc00x'),
    anyName.map((name) => name.repeat(256).slice(0, 600)).filter((name) => [...name].length > 255),
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.object()),
  );
  const wrongCategory = fc.oneof(
    fc.double().filter((value) => !Number.isInteger(value) || Math.abs(value) > 2 ** 63),
    fc.bigInt({ min: 2n ** 63n, max: 2n ** 200n }),
    fc.bigInt({ min: -(2n ** 200n), max: -(2n ** 63n) - 1n }),
    fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.integer())),
  );
  const wrongStatus = fc.oneof(
    fc.string().filter((status) => !['available', 'pending', 'sold'].includes(status)),
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
  );
  const anyInvalid = fc
    .tuple(anyNewPet, wrongName, wrongCategory, wrongStatus, fc.integer({ min: 1, max: 31 }))
    .map(([valid, name, categoryId, status, faults]) => {
      const body: Record<string, unknown> = { ...valid };
      if (faults & 1) body['name'] = name;
      if (faults & 2) body['categoryId'] = categoryId;
      if (faults & 4) body['status'] = status;
      if (faults & 8) delete body['name'];
      if (faults & 16) delete body['categoryId'];
      return body;
    });

  test('is 400, and nothing is stored', async () => {
    const before = await countPets(service.database);
    await fc.assert(
      fc.asyncProperty(anyInvalid, async (body) => {
        const response = await create(body);
        expect(response.json).toMatchObject({
          status: 400,
          code: expect.stringMatching(/^(validation_failed|invalid_json)$/),
        });
      }),
      { numRuns: 3 * sequencesFor(40, 10) },
    );
    expect(await countPets(service.database)).toBe(before);
  });
});

describe('any request', () => {
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

  test('never gets a 5xx, and every 4xx has the Error body with its status', async () => {
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
});
