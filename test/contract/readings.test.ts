/** Where the specification leaves room: how it is read (docs/decisions/0004-readings-of-the-specification.md). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startService, type TestService } from '../support/service.ts';

describe.each([{ extensions: true }, { extensions: false }])(
  'with extensions: $extensions',
  ({ extensions }) => {
    let service: TestService;
    beforeAll(async () => {
      service = await startService({ rules: { extensions } });
    });
    afterAll(() => service.close());

    const create = (body: unknown, headers: Record<string, string> = {}) =>
      service.request('POST', '/v1/pets', { body, headers });
    const list = (query: string, headers: Record<string, string> = {}) =>
      service.request('GET', `/v1/pets?${query}`, { headers });

    describe('limit is a whole number from 1 to 100 in canonical digits', () => {
      test.each([
        '0',
        '101',
        '-1',
        'abc',
        '',
        '10.0',
        '+10',
        '%2B10',
        '010',
        '1e1',
        '0x10',
        ' 10',
        '１０',
        '99999999999999999999',
      ])('limit=%s is 400 invalid_parameter', async (limit) => {
        expect((await list(`limit=${limit}`)).json).toEqual({
          code: 'invalid_parameter',
          message: 'limit: must be a whole number from 1 to 100.',
          status: 400,
        });
      });
    });

    describe('status is one of three words', () => {
      test.each(['foo', '', 'Available', 'available ', 'available,sold'])(
        'status=%s is 400 invalid_parameter',
        async (status) => {
          expect((await list(`status=${encodeURIComponent(status)}`)).json).toMatchObject({
            code: 'invalid_parameter',
          });
        },
      );
    });

    describe('query parameters', () => {
      const twice = ['limit=1&limit=1', 'status=sold&status=sold'];

      test.each(extensions ? [...twice, 'cursor=a&cursor=a'] : twice)(
        '%s: a known parameter given twice is 400',
        async (query) => {
          expect((await list(query)).json).toMatchObject({ code: 'invalid_parameter' });
        },
      );

      test.each(['x&limit=5', '5&limit=x', '5&limit=5&limit=5'])(
        'limit=%s: of one given twice nothing else is said',
        async (query) => {
          expect((await list(`limit=${query}`)).json).toMatchObject({
            message: 'limit: must not be given more than once.',
          });
        },
      );

      test('an unknown parameter is ignored, once or twice', async () => {
        expect((await list('colour=red&colour=blue&__proto__=x&toString=1')).status).toBe(200);
      });

      test('with Prefer: handling=strict an unknown parameter is 400, and the preference is said to be applied', async () => {
        const answer = await list('colour=red', { Prefer: 'handling=strict' });
        expect(answer.json).toMatchObject({
          code: 'invalid_parameter',
          message: 'colour: is not a known parameter.',
        });
        expect(answer.headers.get('preference-applied')).toBe('handling=strict');
      });

      test('with Prefer: handling=strict a request without fault succeeds, and the preference is said to be applied', async () => {
        const answer = await list('limit=1', { Prefer: 'respond-async, handling=strict; x=1' });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('preference-applied')).toBe('handling=strict');
      });

      test.each(['handling=lenient', 'handling=stricter', 'strict', ''])(
        'Prefer: %s changes nothing',
        async (prefer) => {
          const answer = await list('colour=red', { Prefer: prefer });
          expect(answer.status).toBe(200);
          expect(answer.headers.get('preference-applied')).toBeNull();
        },
      );

      test('names and values are percent-decoded', async () => {
        expect((await list('%6Cimit=%31')).status).toBe(200);
        expect((await list('%6Cimit=0')).status).toBe(400);
        expect((await list('limit=%zz')).status).toBe(400);
      });
    });

    describe('order and identifiers', () => {
      test('a list is ascending by id', async () => {
        for (const name of ['c', 'a', 'b']) await create({ name, categoryId: 1 });
        const ids = ((await list('limit=100')).json as { id: number }[]).map(({ id }) => id);
        expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      });

      test('no status filter matches an animal without a status', async () => {
        const fresh = await startService({ rules: { extensions } });
        await fresh.addPet({ name: 'No status', categoryId: 1 });
        for (const status of ['available', 'pending', 'sold'])
          expect((await fresh.request('GET', `/v1/pets?status=${status}`)).json).toEqual([]);
        await fresh.close();
      });

      test.each([
        'abc',
        '1.0',
        '01',
        '9223372036854775808',
        '-9223372036854775809',
        '1e0',
        '%2531',
        '%20',
        '0',
        '-1',
        '9223372036854775807',
      ])('petId %s names no animal: 404 pet_not_found', async (petId) => {
        expect((await service.request('GET', `/v1/pets/${petId}`)).json).toMatchObject({
          code: 'pet_not_found',
          status: 404,
        });
      });
    });

    describe('name', () => {
      test.each([
        ' Rex ',
        'Zoë',
        'Zoe\u0308',
        '🐈‍⬛',
        '\u202Eabc',
        'a\tb\nc',
        '"quoted" \\ /',
        '\uFEFFx',
        "'; DROP TABLE pets; --",
      ])('%j is stored and returned exactly as sent', async (name) => {
        const { json } = await create({ name, categoryId: 1 });
        expect(json).toMatchObject({ name });
        const { id } = json as { id: number };
        expect((await service.request('GET', `/v1/pets/${id}`)).json).toMatchObject({ name });
      });

      test.each(['', ' ', '\t\n\u00A0\u2003\u3000'])(
        '%j, empty or only white space, is 400',
        async (name) => {
          expect((await create({ name, categoryId: 1 })).json).toMatchObject({
            message: 'name: must not be empty or only white space.',
          });
        },
      );

      test('255 characters are accepted and 256 are 400, counted in Unicode code points', async () => {
        expect((await create({ name: 'é'.repeat(255), categoryId: 1 })).status).toBe(201);
        expect((await create({ name: '🐢'.repeat(255), categoryId: 1 })).status).toBe(201);
        expect((await create({ name: 'é'.repeat(256), categoryId: 1 })).status).toBe(400);
        expect((await create({ name: '🐢'.repeat(256), categoryId: 1 })).status).toBe(400);
      });

      test.each(['\\ud800', 'a\\udc00b', '\\udc00\\ud800'])(
        'a lone surrogate (%s) is 400',
        async (surrogate) => {
          expect((await create(`{"name":"${surrogate}","categoryId":1}`)).json).toMatchObject({
            message: 'name: must not contain a lone surrogate.',
          });
        },
      );

      test('U+0000 is 400', async () => {
        expect((await create('{"name":"a\\u0000b","categoryId":1}')).json).toMatchObject({
          message: 'name: must not contain the character U+0000.',
        });
      });
    });

    describe('categoryId', () => {
      test.each([
        ['1.0', '1'],
        ['1e2', '100'],
        ['1.50e1', '15'],
        ['-0', '0'],
        ['-0.0e5', '0'],
        ['0e999999999', '0'],
        ['-5', '-5'],
        ['922337203685477580.7e1', '9223372036854775807'],
        ['9007199254740993.0', '9007199254740993'],
      ])('%s is the integer %s', async (sent, stored) => {
        expect((await create(`{"name":"Rex","categoryId":${sent}}`)).text).toContain(
          `"categoryId":${stored}}`,
        );
      });

      test.each([
        '1.5',
        '"1"',
        'true',
        '1e400',
        '9223372036854775808',
        '-9223372036854775809',
        '1e19',
        '1.0000000000000000000001',
        '0.1e0',
        '[1]',
        '{}',
      ])('%s is 400', async (sent) => {
        expect((await create(`{"name":"Rex","categoryId":${sent}}`)).json).toMatchObject({
          code: 'validation_failed',
        });
      });
    });

    describe('fields of a NewPet', () => {
      test('status: null is 400', async () => {
        expect((await create({ name: 'Rex', categoryId: 1, status: null })).json).toMatchObject({
          message: 'status: must be one of available, pending, sold.',
        });
      });

      test("an unknown field, a client's id among them, is ignored and never stored", async () => {
        const { json } = await create({
          id: 5_000_000,
          name: 'Rex',
          categoryId: 1,
          colour: 'red',
          __proto__: 1,
        });
        expect(json).toEqual({ id: expect.any(Number), name: 'Rex', categoryId: 1 });
        expect(json).not.toMatchObject({ id: 5_000_000 });
      });

      test('with Prefer: handling=strict an unknown field is 400, and the preference is said to be applied', async () => {
        const answer = await create(
          { id: 5, name: 'Rex', categoryId: 1 },
          { Prefer: 'handling=strict' },
        );
        expect(answer.json).toEqual({
          code: 'validation_failed',
          message: 'id: is not a known field.',
          status: 400,
        });
        expect(answer.headers.get('preference-applied')).toBe('handling=strict');
      });

      test.each(['refusal', 'code', 'constructor', '__proto__', 'toString'])(
        'a field named %s is a field like any other',
        async (field) => {
          expect(
            (await create(`{"name":"Rex","categoryId":1,"${field}":{"status":204}}`)).status,
          ).toBe(201);
        },
      );

      test('several faults give one 400 whose message names each field and what is wrong with it', async () => {
        const { json } = await create({ name: '', categoryId: 1.5, status: 'lost' });
        expect(json).toEqual({
          code: 'validation_failed',
          message:
            'name: must not be empty or only white space; ' +
            'categoryId: must be an integer from -9223372036854775808 to 9223372036854775807; ' +
            'status: must be one of available, pending, sold.',
          status: 400,
        });
        expect((await create({})).json).toMatchObject({
          message: 'name: is required; categoryId: is required.',
        });
      });
    });

    describe('the body', () => {
      const bytes = (text: string) => new TextEncoder().encode(text);
      const valid = '{"name":"Rex","categoryId":1}';

      test.each([
        ['duplicate keys', '{"name":"Rex","name":"Max","categoryId":1}'],
        [
          'duplicate keys that are spelt differently',
          '{"name":"Rex","n\\u0061me":"Max","categoryId":1}',
        ],
        ['duplicate keys deep inside', '{"name":"Rex","categoryId":1,"x":[{"a":1,"a":2}]}'],
        [
          'invalid UTF-8',
          new Uint8Array([...bytes('{"name":"'), 0xff, ...bytes('","categoryId":1}')]),
        ],
        [
          'an overlong encoding',
          new Uint8Array([...bytes('{"name":"'), 0xc0, 0xaf, ...bytes('","categoryId":1}')]),
        ],
        ['a byte order mark', `\uFEFF${valid}`],
        ['an array', '[]'],
        ['a string', '"Rex"'],
        ['a number', '1'],
        ['a fraction', '1.5'],
        ['null', 'null'],
        ['white space alone', ' \n'],
        ['a truncated object', '{"name":"Rex"'],
        ['something after the object', `${valid} x`],
        ['two objects', valid + valid],
        ['a trailing comma', '{"name":"Rex","categoryId":1,}'],
        ['single quotes', "{'name':'Rex'}"],
        ['a comment', `${valid}//`],
        ['a leading zero', '{"name":"Rex","categoryId":01}'],
        ['a raw control character', '{"name":"a\nb","categoryId":1}'],
        ['NaN', '{"name":"Rex","categoryId":NaN}'],
        [
          'nesting deeper than 64',
          `{"name":"Rex","categoryId":1,"x":${'['.repeat(64)}${']'.repeat(64)}}`,
        ],
        ['nesting without an end', `{"x":${'['.repeat(500_000)}`],
      ])('%s: 400 invalid_json', async (_what, body) => {
        expect((await create(body)).json).toMatchObject({ code: 'invalid_json', status: 400 });
      });

      test('nesting of 64 levels is accepted', async () => {
        const nested = `{"name":"Rex","categoryId":1,"x":${'['.repeat(63)}${']'.repeat(63)}}`;
        expect((await create(nested)).status).toBe(201);
      });

      test('an empty body is 400 body_required', async () => {
        expect((await create('')).json).toMatchObject({ code: 'body_required' });
        expect((await create(new Uint8Array())).json).toMatchObject({ code: 'body_required' });
      });

      test('without a Content-Type it is read as JSON', async () => {
        const answer = await service.request('POST', '/v1/pets', { body: bytes(valid) });
        expect(answer.status).toBe(201);
      });

      test.each([
        'application/json',
        'Application/JSON',
        'application/json; charset=utf-8',
        'application/json;charset="UTF-8"',
        'application/json ; x=y',
      ])('Content-Type %s is accepted', async (type) => {
        expect((await create(valid, { 'Content-Type': type })).status).toBe(201);
      });

      test.each([
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'application/merge-patch+json',
        'multipart/form-data',
        'application/json; charset=latin1',
        'nonsense',
        'text/plain, application/json',
      ])('Content-Type %s is 415 with Accept: application/json', async (type) => {
        const answer = await create(valid, { 'Content-Type': type });
        expect(answer.json).toMatchObject({ code: 'unsupported_media_type', status: 415 });
        expect(answer.headers.get('accept')).toBe('application/json');
      });

      test('a Content-Encoding is 415: a compressed body is not read', async () => {
        const answer = await create(Bun.gzipSync(bytes(valid)), { 'Content-Encoding': 'gzip' });
        expect(answer.json).toMatchObject({ code: 'unsupported_media_type' });
      });

      test('1 MiB is read and a byte more is 413', async () => {
        const padding = ' '.repeat(1024 * 1024 - valid.length);
        expect((await create(valid + padding)).status).toBe(201);
        expect((await create(`${valid + padding} `)).json).toMatchObject({
          code: 'content_too_large',
          status: 413,
        });
      });
    });

    describe('routes and methods', () => {
      test.each([
        '/v1',
        '/v1/',
        '/v1/pets/',
        '/v1//pets',
        '/v1/pets//1',
        '/v1/pets/1/',
        '/v1/pet',
        '/v1/Pets',
        '/v1/pets/1/2',
        '/v2/pets',
        '/v1pets',
        '/nothing',
      ])('%s is 404 route_not_found', async (path) => {
        expect((await service.request('GET', path)).json).toMatchObject({
          code: 'route_not_found',
          status: 404,
        });
      });

      const onOnePet = extensions ? 'GET, HEAD, PATCH, DELETE' : 'GET, HEAD';

      test.each([
        ['PUT', '/v1/pets', 'GET, HEAD, POST'],
        ['DELETE', '/v1/pets', 'GET, HEAD, POST'],
        ['PATCH', '/v1/pets', 'GET, HEAD, POST'],
        ['OPTIONS', '/v1/pets', 'GET, HEAD, POST'],
        ['POST', '/v1/pets/1', onOnePet],
        ['PUT', '/v1/pets/1', onOnePet],
        ['POST', '/livez', 'GET, HEAD'],
      ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
        const answer = await service.request(method, path);
        expect(answer.json).toMatchObject({ code: 'method_not_allowed', status: 405 });
        expect(answer.headers.get('allow')).toBe(allow);
      });

      test.each([
        '/v1/pets',
        '/v1/pets?limit=0',
        '/v1/pets/1',
        '/v1/pets/999',
        '/v1/nothing',
        '/livez',
        '/openapi.json',
        '/docs',
      ])('HEAD %s is as GET, without the body, with its Content-Length', async (path) => {
        const get = await service.request('GET', path);
        const head = await service.request('HEAD', path);
        expect(head.status).toBe(get.status);
        expect(head.text).toBe('');
        expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
        expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      });

      test('Accept: text/html is answered with JSON all the same', async () => {
        const answer = await list('', { Accept: 'text/html' });
        expect(answer.headers.get('content-type')).toBe('application/json');
      });

      test('201 carries Location: the address of the animal under the configured base address', async () => {
        const { json, headers } = await create(
          { name: 'Rex', categoryId: 1 },
          { Host: 'evil.test' },
        );
        expect(headers.get('location')).toBe(
          `https://store.test/v1/pets/${(json as { id: number }).id}`,
        );
      });
    });

    describe('the order of checks', () => {
      const bad = { body: 'not json', headers: { 'Content-Type': 'text/plain' } };

      test('credential before route, method, media type and validity', async () => {
        for (const [method, path] of [
          ['GET', '/v1/nothing'],
          ['PUT', '/v1/pets'],
          ['POST', '/v1/pets'],
          ['GET', '/v1/pets?limit=0'],
          ['GET', '/v1/pets/999'],
        ] as const) {
          const answer = await service.request(method, path, {
            key: null,
            ...(method === 'GET' ? {} : bad),
          });
          expect(answer.json).toMatchObject({ code: 'credential_missing' });
        }
      });

      test('method before media type, media type before size, size before syntax, syntax before validity', async () => {
        const large = 'x'.repeat(1024 * 1024 + 1);
        expect((await service.request('PUT', '/v1/pets', bad)).status).toBe(405);
        expect((await create(large, { 'Content-Type': 'text/plain' })).status).toBe(415);
        expect((await create(large)).status).toBe(413);
        expect((await create('{"name":""')).json).toMatchObject({ code: 'invalid_json' });
      });

      test('scope before validity', async () => {
        const { secret: key } = await service.issueKey(['pets:read']);
        const answer = await service.request('POST', '/v1/pets', { key, body: 'not json' });
        expect(answer.json).toMatchObject({ code: 'scope_missing', status: 403 });
      });
    });
  },
);
