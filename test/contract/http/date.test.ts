/** Every response has one Date (RFC 9110 §6.6.1). On a real socket because the runtime adds most of them. */
import { beforeAll, expect, test } from 'bun:test';
import { listen } from '../../support/socket.ts';
import { useShared } from '../../support/use-each.ts';

const service = useShared(() => listen());
beforeAll(async () => {
  for (const id of [1, 2]) {
    const body = `{"name":"Rex","categoryId":${id}}`;
    await send('POST /v1/pets', service.authorization, `Content-Length: ${body.length}`, '', body);
  }
});

const send = (target: string, ...lines: string[]) =>
  service.request(`${target} HTTP/1.1`, 'Host: x', ...lines);

const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;
const SECOND_MS = 1_000;

test.each([
  [200, 'GET /v1/pets', []],
  [200, 'HEAD /v1/pets', []],
  [200, 'HEAD /livez', []],
  [204, 'DELETE /v1/pets/2', []],
  [304, 'GET /v1/pets/1', ['If-None-Match: *']],
  [304, 'HEAD /v1/pets/1', ['If-None-Match: *']],
  [400, 'HEAD /v1/pets?limit=0', []],
  [401, 'GET /v1/pets', ['Authorization: Bearer wrong']],
  [401, 'HEAD /v1/pets', ['Authorization: Bearer wrong']],
  [404, 'GET /v1/nothing', []],
  [404, 'HEAD /nothing', []],
  [405, 'PUT /v1/pets', []],
] as const)('%i to %s has one Date with the present time', async (status, target, headers) => {
  const before = Date.now();
  const credential = headers.some((header) => header.startsWith('Authorization'))
    ? []
    : [service.authorization];
  const response = await send(target, ...credential, ...headers);
  expect(response).toStartWith(`HTTP/1.1 ${status} `);
  const [head = ''] = response.split('\r\n\r\n');
  const dates = head.split('\r\n').filter((line) => /^date:/i.test(line));
  expect(dates).toHaveLength(1);
  const date = dates[0]?.replace(/^date: */i, '') ?? '';
  expect(date).toMatch(IMF_FIXDATE);
  // The runtime updates its date once a second.
  expect(Date.parse(date)).toBeWithin(before - 2 * SECOND_MS, Date.now() + 1);
});
