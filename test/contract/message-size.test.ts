/** No answer outgrows its request: messages name the first problems, and long names are cut. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const MOST_BYTES = 2_000;
const many = Array.from({ length: 5_000 }, (_, index) => `f${index}`);

test.each([
  ['many unknown fields', JSON.stringify(Object.fromEntries(many.map((name) => [name, 1])))],
  ['one unknown field with a long name', JSON.stringify({ ['x'.repeat(100_000)]: 1 })],
  ['a long name that stands twice', `{"${'y'.repeat(100_000)}":1,"${'y'.repeat(100_000)}":1}`],
])('%s, refused, give a short message', async (_what, body) => {
  const headers = { Prefer: 'handling=strict' };
  const answer = await service.request('POST', '/v1/pets', { body, headers });
  expect(answer.status).toBe(400);
  expect(answer.text.length).toBeLessThan(MOST_BYTES);
});

test('many unknown parameters are counted, not named', async () => {
  const answer = await service.request('GET', `/v1/pets?${many.slice(0, 500).join('&')}`, {
    headers: { Prefer: 'handling=strict' },
  });
  expect(answer.json).toMatchObject({ message: expect.stringContaining('; and 490 more.') });
});

test('the first handling preference counts', async () => {
  const headers = { Prefer: 'handling=lenient, handling=strict' };
  expect((await service.request('GET', '/v1/pets?x=1', { headers })).status).toBe(200);
});
