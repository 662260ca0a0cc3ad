/** Bodies of requests: JSON in UTF-8, of at most 1 MiB ("Readings of the specification" in docs/decisions.md). */
import { describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const VALID = '{"name":"Rex","categoryId":1}';

/** A valid body but for the bytes in its name. */
const withName = (...name: number[]) =>
  new Uint8Array([...bytes('{"name":"'), ...name, ...bytes('","categoryId":1}')]);

describe.each([true, false])('a request body with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });

  const create = (body: unknown, headers: Record<string, string> = {}) =>
    service.request('POST', '/v1/pets', { body, headers });

  test.each([
    ['duplicate keys', '{"name":"Rex","name":"Max","categoryId":1}'],
    ['an escaped duplicate key', '{"name":"Rex","n\\u0061me":"Max","categoryId":1}'],
    ['nested duplicate keys', '{"name":"Rex","categoryId":1,"x":[{"a":1,"a":2}]}'],
    ['invalid UTF-8', withName(0xff)],
    ['an overlong encoding', withName(0xc0, 0xaf)],
    ['a byte order mark', `\uFEFF${VALID}`],
    ['an array', '[]'],
    ['a string', '"Rex"'],
    ['a number', '1'],
    ['a fraction', '1.5'],
    ['null', 'null'],
    ['only white space', ' \n'],
    ['a truncated object', '{"name":"Rex"'],
    ['text after the object', `${VALID} x`],
    ['two objects', VALID + VALID],
    ['a trailing comma', '{"name":"Rex","categoryId":1,}'],
    ['single quotes', "{'name':'Rex'}"],
    ['a comment', `${VALID}//`],
    ['a leading zero', '{"name":"Rex","categoryId":01}'],
    ['an unescaped control character', '{"name":"a\nb","categoryId":1}'],
    ['NaN', '{"name":"Rex","categoryId":NaN}'],
    ['more than 64 levels', `{"name":"Rex","categoryId":1,"x":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['500,000 open levels', `{"x":${'['.repeat(500_000)}`],
  ])('with %s is 400 invalid_json', async (_what, body) => {
    expect((await create(body)).json).toMatchObject({ code: 'invalid_json', status: 400 });
  });

  test('with 64 levels is accepted', async () => {
    const nested = `{"name":"Rex","categoryId":1,"x":${'['.repeat(63)}${']'.repeat(63)}}`;
    expect((await create(nested)).status).toBe(201);
  });

  test('that is missing or empty is 400 body_required', async () => {
    expect((await service.request('POST', '/v1/pets')).code).toBe('body_required');
    expect((await create('')).code).toBe('body_required');
    expect((await create(new Uint8Array())).code).toBe('body_required');
  });

  test('without a Content-Type is read as JSON', async () => {
    const response = await service.request('POST', '/v1/pets', { body: bytes(VALID) });
    expect(response.status).toBe(201);
  });

  test('of 1 MiB is accepted, and one byte more is 413', async () => {
    const padding = ' '.repeat(1024 * 1024 - VALID.length);
    expect((await create(VALID + padding)).status).toBe(201);
    expect((await create(`${VALID + padding} `)).json).toMatchObject({
      code: 'content_too_large',
      status: 413,
    });
  });
});
