/** The Content-Type of bodies: JSON in UTF-8, parsed by the grammar of RFC 9110 (§5.6.6, §8.3.1). */
import { describe, expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import { useService } from '../../support/service.ts';

const BODY = '{"name":"Rex","categoryId":1}';

describe('the grammar', () => {
  const service = useService();

  const send = (method: string, path: string, type: string) =>
    service.request(method, path, { headers: { 'Content-Type': type }, body: BODY });

  test.each([
    ...['application/json', 'APPLICATION/Json', 'application/json;', 'application/json ;; ;'],
    ...['application/json;charset=utf-8', 'application/json;CHARSET=Utf-8'],
    ...['application/json \t; \tcharset=UTF-8\t ;', 'application/json; charset="utf-8"'],
    'application/json; charset="u\\tf-\\8"',
    'application/json; version=1; version=2; charset=utf-8',
    'application/json; note="charset=latin1; charset=\\"utf-16\\""',
    "application/json; x!#$%&'*+.^_`|~=1",
  ])('%s is accepted', async (type) => {
    expect((await send('POST', '/v1/pets', type)).status).toBe(201);
  });

  test.each([
    'application/json;charset=utf-8;charset=utf-16',
    'application/json;charset=utf-16;charset=utf-8',
    'application/json;charset=utf-8;charset=utf-8',
    'application/json;charset=utf-8;Charset="utf-16"',
    ...['application/json;x=1;charset="iso-8859-1"', 'application/json;charset="utf-16\\8"'],
    ...["application/json;charset='utf-8'", 'application/json;charset'],
    ...['application/json;charset=', 'application/json;charset=""'],
    ...['application/json;charset =utf-8', 'application/json;charset= utf-8'],
    ...['application/json;charset=utf-8 utf-16', 'application/json;charset="utf-8'],
    ...['application/json;charset=utf-8"', 'application/json;charset="utf-8"x'],
    ...['application/json charset=utf-8', 'application/json;=utf-8', 'application/json;x'],
    ...['application/json;x=a/b', 'application/json, application/json', 'application/jsonx'],
    ...['application/merge-patch+json', 'text/plain', 'application / json', 'application', '/json'],
    '*/*',
  ])('%s is 415 with Accept: application/json', async (type) => {
    const response = await send('POST', '/v1/pets', type);
    expect(response.json).toMatchObject({ code: 'unsupported_media_type', status: 415 });
    expect(response.headers.get('accept')).toBe('application/json');
  });

  const SHOWN = 'application/json';
  test.each([
    [
      'text/plain;charset=UTF-8',
      `Content-Type text/plain;charset=UTF-8 is not supported: send ${SHOWN}.`,
    ],
    [
      'application/json;charset=latin1',
      `Content-Type application/json;charset=latin1 is not supported: send ${SHOWN} in UTF-8.`,
    ],
    ['', `Content-Type "" is not supported: send ${SHOWN}.`],
    ['a\u009bb', `Content-Type a\\u009bb is not supported: send ${SHOWN}.`],
    ['x'.repeat(5_000), `Content-Type ${'x'.repeat(100)}… is not supported: send ${SHOWN}.`],
  ])('of %s is named by the message, escaped and cut', async (type, message) => {
    const { json } = await send('POST', '/v1/pets', type);
    expect(json).toEqual({ code: 'unsupported_media_type', message, status: 415 });
  });

  test('of a patch is named with both types, and a content encoding with its name', async () => {
    const encoded = (coding: string) =>
      service.request('POST', '/v1/pets', { headers: { 'Content-Encoding': coding }, body: BODY });
    const compressed = await encoded('gzip');
    expect((await encoded('Identity')).status).toBe(201);
    const messages = [await send('PATCH', '/v1/pets/1', 'text/json'), compressed].map(
      ({ json }) => json,
    );
    expect(messages).toMatchObject([
      {
        message:
          'Content-Type text/json is not supported: send application/merge-patch+json or application/json.',
      },
      { message: 'Content-Encoding gzip is not supported: send the body without it.' },
    ]);
  });

  test('is parsed in linear time', async () => {
    for (const end of ['; '.repeat(4_000), ';'.repeat(8_000), ';\t  '.repeat(2_000)])
      expect((await send('POST', '/v1/pets', `application/json${end}x`)).status).toBe(415);
    const open = `application/json;x="${'\\"'.repeat(4_000)}`;
    expect((await send('POST', '/v1/pets', open)).status).toBe(415);
  });
});

const MERGE_PATCH = 'application/merge-patch+json';
const PATCHES = operationsOf(true)
  .map(({ operation }) => operation)
  .filter(({ body }) => body?.isMergePatch);

describe.each(PATCHES)('a merge patch of $path', ({ path }) => {
  const service = useService();
  /** The media type is checked before the resource is looked for. */
  const patch = (headers: Record<string, string>) =>
    service.request('PATCH', `/v1${path.replace(/\{\w+\}/, '99999999')}`, {
      headers,
      body: Buffer.from('{}'),
    });

  test.each([MERGE_PATCH, 'Application/Merge-Patch+JSON; charset="UTF-8"', 'application/json', ''])(
    'may have the Content-Type %j',
    async (type) => {
      expect((await patch(type === '' ? {} : { 'Content-Type': type })).status).toBe(404);
    },
  );

  test.each([
    ...['text/plain', 'application/json-patch+json', 'application/merge-patch', `${MERGE_PATCH}p`],
    `${MERGE_PATCH}; charset=utf-8; charset=utf-16`,
  ])('is 415 with Accept-Patch for the Content-Type %s', async (type) => {
    const { json, headers } = await patch({ 'Content-Type': type });
    expect(json).toMatchObject({ code: 'unsupported_media_type', status: 415 });
    expect(headers.get('accept-patch')).toBe(`${MERGE_PATCH}, application/json`);
  });
});
