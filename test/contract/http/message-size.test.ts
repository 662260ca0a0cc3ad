/** The length of an error message is limited: it names the first problems and shortens long names. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const service = useService();

const MAX_LENGTH = 2_000;
const headers = { Prefer: 'handling=strict' };
const names = Array.from({ length: 5_000 }, (_, index) => `f${index}`);

test.each([
  ['many unknown fields', JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])))],
  ['an unknown field with a long name', JSON.stringify({ ['x'.repeat(100_000)]: 1 })],
  ['a duplicate key with a long name', `{"${'y'.repeat(100_000)}":1,"${'y'.repeat(100_000)}":1}`],
])('a body with %s gets a short message', async (_what, body) => {
  const response = await service.request('POST', '/v1/pets', { body, headers });
  expect(response.status).toBe(400);
  expect(response.text.length).toBeLessThan(MAX_LENGTH);
});

test('many unknown parameters are counted, not named', async () => {
  const query = names.slice(0, 500).join('&');
  const { json } = await service.request('GET', `/v1/pets?${query}`, { headers });
  expect(json).toMatchObject({ message: expect.stringContaining('; and 490 more') });
});
