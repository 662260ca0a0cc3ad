import { expect, test } from 'bun:test';
import { HIDDEN } from './framing.ts';
import { problemsOfAnswer } from './judge.ts';
import type { FuzzedRequest } from './requests.ts';

const REQUEST: FuzzedRequest = {
  id: 'fuzz-1',
  method: 'GET',
  target: '/v1/pets',
  headers: [],
  body: undefined,
  isDocumented: true,
};

/** The problems of a response with these headers and this body. */
const judge = (status: number, text: string, id = REQUEST.id) =>
  problemsOfAnswer(REQUEST, {
    status,
    headers: [
      ['content-type', 'application/json'],
      ['x-request-id', id],
      ['x-content-type-options', 'nosniff'],
      ['cache-control', 'private, no-cache'],
      ['vary', 'Authorization, Prefer'],
      ['date', 'Thu, 01 Jan 2027 00:00:00 GMT'],
    ],
    body: Buffer.from(text),
    isStream: false,
  });

test('the documented response has no problem', async () => {
  expect(await judge(200, '[{"id":1,"name":"Rex","categoryId":1}]')).toEqual([]);
});

test.each([
  ['a 5xx', 503, '{"code":"unavailable","message":"x","status":503}', undefined, 'the status is'],
  ['the response to another request', 200, '[]', 'fuzz-2', 'it got the response to fuzz-2'],
  ['the response to a request in a body', 200, '[]', HIDDEN, 'was executed'],
  ['a body that is not JSON', 200, '[', undefined, 'not JSON'],
  [
    'an error with another status',
    400,
    '{"code":"pet_not_found","message":"x","status":400}',
    undefined,
    'another body',
  ],
  [
    'an error with another field',
    404,
    '{"code":"pet_not_found","message":"x","status":404,"id":1}',
    undefined,
    'another body',
  ],
  [
    'a status that is not documented',
    404,
    '{"code":"pet_not_found","message":"x","status":404}',
    undefined,
    'does not document 404',
  ],
  ['a body that is not documented', 200, '[{"id":1}]', undefined, 'does not match'],
])('%s is a problem', async (_what, status, text, id, problem) => {
  expect((await judge(status, text, id)).join()).toContain(problem);
});

test('an empty refusal of the runtime is a problem of a well framed request', async () => {
  const refusal = { status: 400, headers: [], body: Buffer.alloc(0), isStream: false };
  expect(await problemsOfAnswer(REQUEST, refusal)).toEqual(['the runtime refused it with 400']);
});
