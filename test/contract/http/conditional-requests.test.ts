/** Conditions on entity tags are one rule for every method and path (RFC 9110 §13). */
import { beforeAll, describe, expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import type { Operation } from '../../../src/http/contract/operation.ts';
import { type TestService, useService } from '../../support/service.ts';
import { addResources, bodyOf, type Ids, pathOf } from '../resources.ts';

const service = useService();
const strict = useService({ options: { requireIfMatch: true } });

const operations = operationsOf(true).map(({ operation }) => operation);
const reads = operations.filter(({ method }) => method === 'get');
const changes = operations.filter(({ method }) => method !== 'get' && method !== 'post');

/** What no test changes. */
let kept: Ids;
beforeAll(async () => {
  kept = await addResources(service);
});

const send = (
  operation: Operation,
  ids: Ids,
  headers: Record<string, string>,
  at: TestService = service,
) => {
  const [path, body] = [pathOf(operation, ids), bodyOf(operation, ids)];
  return at.request(operation.method.toUpperCase(), path, { headers, body });
};
const newestEvent = async (at: TestService = service) =>
  (await at.request('GET', '/v1/events?sort=-id&limit=1')).text;
/** Null for a stream, whose response to HEAD has no end without a socket, and for what has no tag. */
const tagOf = async (path: string, at: TestService = service) =>
  path.endsWith('/stream') ? null : (await at.request('HEAD', path)).headers.get('etag');

const MALFORMED = [
  'tag',
  '"tag" foo',
  'foo "tag"',
  'W/ "tag"',
  'w/"tag"',
  '"open',
  'open"',
  '"',
  '"a"b"',
  '"a" "b"',
  '"a b"',
  '*, "tag"',
  '"tag", *',
  '**',
  "'tag'",
];

describe('a list of entity tags that does not parse', () => {
  const refusal = {
    code: 'invalid_request',
    message:
      'If-Match and If-None-Match must be * or a list of entity tags in double quotes, such as "31eau7yjpqtkx".',
    status: 400,
  };

  test.each(operations)('is 400 for $method $path, and nothing is done', async (operation) => {
    const before = await newestEvent();
    for (const headers of [{ 'If-Match': 'tag' }, { 'If-None-Match': '"a" "b"' }])
      expect((await send(operation, kept, headers)).json).toEqual(refusal);
    expect(await newestEvent()).toBe(before);
  });

  test.each(MALFORMED)('may be %s', async (value) => {
    for (const name of ['If-Match', 'If-None-Match']) {
      const headers = { [name]: value };
      for (const method of ['GET', 'POST'])
        expect((await service.request(method, '/v1/pets', { headers })).json).toEqual(refusal);
    }
  });

  test.each(['/', '/livez', '/v1/nothing'])('is 400 for %s', async (path) => {
    const headers = { 'If-None-Match': '"tag" foo' };
    for (const method of ['GET', 'POST'])
      expect((await service.request(method, path, { headers })).code).toBe('invalid_request');
  });
});

describe('a read', () => {
  const READ_PATHS = ['/', '/livez', '/readyz'];
  const named = [
    ...reads.map((read) => [read.id, () => pathOf(read, kept)] as const),
    ...READ_PATHS.map((path) => [path, () => path] as const),
  ];

  test.each(named)(
    '%s is 412 if If-Match does not name its tag, strongly',
    async (_name, pathTo) => {
      const path = pathTo();
      const etag = await tagOf(path);
      for (const value of ['"other"', '"*"', '', `W/${etag ?? '"other"'}`])
        for (const method of ['GET', 'HEAD']) {
          const { status, text } = await service.request(method, path, {
            headers: { 'If-Match': value, 'If-None-Match': '*' },
          });
          expect(status).toBe(412);
          if (method === 'GET') expect(text).toContain('If-Match does not match');
        }
    },
  );

  test.each(named)(
    '%s is 304 if If-None-Match is * or has its tag, weak or strong, alone or in a list, also beside an If-Match that holds',
    async (_name, pathTo) => {
      const path = pathTo();
      const etag = await tagOf(path);
      if (etag === null) return;
      for (const value of ['*', ' * ', etag, `W/${etag}`, `"a", W/"b" , ${etag}`])
        for (const own of [{}, { 'If-Match': '*' }])
          for (const method of ['GET', 'HEAD']) {
            const headers = { ...own, 'If-None-Match': value };
            const response = await service.request(method, path, { headers });
            expect([response.status, response.text, response.etag]).toEqual([304, '', etag]);
            expect(response.headers.get('content-type')).toBeNull();
          }
    },
  );

  test.each(named.filter(([id]) => id !== 'streamEvents'))(
    '%s is 200 if If-Match is * or has its tag in a list, or If-None-Match has another one',
    async (_name, pathTo) => {
      const path = pathTo();
      const etag = await tagOf(path);
      for (const value of [
        '*',
        ' * ',
        ...(etag === null ? [] : [etag, `"other",,W/"x" , ${etag},`]),
      ])
        expect(
          (await service.request('GET', path, { headers: { 'If-Match': value } })).status,
        ).toBe(200);
      // What has no tag is not stored, so there is no 304.
      const others = ['"other"', 'W/"other"', etag === null ? '*' : '"*"', '', ', "a",, "b"'];
      for (const value of others)
        for (const method of ['GET', 'HEAD']) {
          const headers = { 'If-None-Match': value };
          expect((await service.request(method, path, { headers })).status).toBe(200);
        }
    },
  );

  test('that fails is neither 412 nor 304', async () => {
    for (const headers of [{ 'If-Match': '"other"' }, { 'If-None-Match': '*' }])
      for (const [status, path, key] of [
        [404, '/v1/pets/999999', service.key],
        [400, '/v1/pets?limit=0', service.key],
        [401, '/v1/pets/1', null],
      ] as const)
        expect((await service.request('GET', path, { headers, key })).status).toBe(status);
  });
});

describe('a change', () => {
  test.each(changes)(
    '$method $path is 412 if a condition does not hold, and nothing is done',
    async (operation) => {
      const ids = await addResources(service);
      const etag = (await tagOf(pathOf(operation, ids))) ?? '*';
      const weak = etag === '*' ? [] : [`W/${etag}`, `"a", W/${etag}`];
      const before = await newestEvent();
      for (const value of ['"other"', '', 'W/"other"', ...weak])
        expect((await send(operation, ids, { 'If-Match': value })).json).toMatchObject({
          code: 'precondition_failed',
          message: expect.stringContaining('If-Match does not match'),
        });
      for (const value of ['*', ' * ', etag, ...weak])
        for (const ifMatch of [{}, { 'If-Match': etag }])
          expect(
            (await send(operation, ids, { ...ifMatch, 'If-None-Match': value })).json,
          ).toMatchObject({
            code: 'precondition_failed',
            message: 'If-None-Match matches the current resource.',
          });
      expect(await newestEvent()).toBe(before);
      const ifMatch = etag === '*' ? etag : `"a" , ${etag}, W/"b"`;
      const holding = { 'If-Match': ifMatch, 'If-None-Match': '"other", W/"*"' };
      expect((await send(operation, ids, holding)).status).toBeLessThan(300);
    },
  );

  test.each(changes.filter(({ id }) => id !== 'revokeApiKey'))(
    '$method $path without If-Match is 428 under REQUIRE_IF_MATCH=on, and nothing is done',
    async (operation) => {
      const ids = await addResources(strict);
      const before = await newestEvent(strict);
      expect((await send(operation, ids, {}, strict)).code).toBe('precondition_required');
      expect(await newestEvent(strict)).toBe(before);
      const headers = { 'If-Match': (await tagOf(pathOf(operation, ids), strict)) ?? '' };
      expect((await send(operation, ids, headers, strict)).status).toBeLessThan(300);
    },
  );

  test('of an API key needs no If-Match under REQUIRE_IF_MATCH=on, because a key has no tag', async () => {
    const { key } = await strict.issueKey();
    expect((await strict.request('DELETE', `/v1/api-keys/${key.id}`)).status).toBe(204);
  });

  test('of nothing is 404, not 412', async () => {
    const headers = { 'If-None-Match': '*' };
    for (const method of ['PATCH', 'DELETE']) {
      const sent = { headers, ...(method === 'PATCH' && { body: {} }) };
      expect((await service.request(method, '/v1/pets/999999', sent)).code).toBe('pet_not_found');
    }
  });

  test('by POST is made under any well-formed condition', async () => {
    for (const headers of [{ 'If-Match': '"other"' }, { 'If-None-Match': '*' }]) {
      const body = { name: 'Mia', categoryId: 2 };
      expect((await service.request('POST', '/v1/pets', { body, headers })).status).toBe(201);
    }
  });
});
