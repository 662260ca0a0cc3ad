/** The Content-Type of a body: JSON in UTF-8, read by the grammar of RFC 9110 (§5.6.6, §8.3.1). */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const send = (method: string, path: string, type: string) => {
  const headers = { 'Content-Type': type };
  return service.request(method, path, { headers, body: '{"name":"Rex","categoryId":1}' });
};

test.each([
  'application/json',
  'APPLICATION/Json',
  'application/json;',
  'application/json ;; ;',
  'application/json;charset=utf-8',
  'application/json;CHARSET=Utf-8',
  'application/json \t; \tcharset=UTF-8\t ;',
  'application/json; charset="utf-8"',
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
  'application/json;x=1;charset="iso-8859-1"',
  'application/json;charset="utf-16\\8"',
  "application/json;charset='utf-8'",
  'application/json;charset',
  'application/json;charset=',
  'application/json;charset=""',
  'application/json;charset =utf-8',
  'application/json;charset= utf-8',
  'application/json;charset=utf-8 utf-16',
  'application/json;charset="utf-8',
  'application/json;charset=utf-8"',
  'application/json;charset="utf-8"x',
  'application/json charset=utf-8',
  'application/json;=utf-8',
  'application/json;x',
  'application/json;x=a/b',
  'application/json, application/json',
  'application/jsonx',
  'application / json',
  'application',
  '/json',
  '*/*',
])('%s is 415 with the type that is understood', async (type) => {
  const answer = await send('POST', '/v1/pets', type);
  expect(answer.json).toMatchObject({ code: 'unsupported_media_type', status: 415 });
  expect(answer.headers.get('accept')).toBe('application/json');
});

test('one that is made to be read slowly is refused at once', async () => {
  for (const end of ['; '.repeat(4_000), ';'.repeat(8_000), ';\t  '.repeat(2_000)])
    expect((await send('POST', '/v1/pets', `application/json${end}x`)).status).toBe(415);
  const open = `application/json;x="${'\\"'.repeat(4_000)}`;
  expect((await send('POST', '/v1/pets', open)).status).toBe(415);
});

test('a merge patch is read by the same rules', async () => {
  const { id } = await service.addPet({ name: 'Mia', categoryId: 2 });
  const patch = (parameters: string) =>
    send('PATCH', `/v1/pets/${id}`, `application/merge-patch+json${parameters}`);
  expect((await patch('; charset="UTF-8"')).status).toBe(200);
  const refused = await patch('; charset=utf-8; charset=utf-16');
  expect(refused.status).toBe(415);
  expect(refused.headers.get('accept-patch')).toBe(
    'application/merge-patch+json, application/json',
  );
});
