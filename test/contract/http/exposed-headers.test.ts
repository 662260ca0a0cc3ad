/** CORS: a page can read every header of a response. Checks against the document and real responses, not a list. */
import { expect, test } from 'bun:test';
import { StorageError } from '../../../src/storage/database.ts';
import { DOCUMENT, operationsIn } from '../../support/openapi-document.ts';
import { listen, type SocketService } from '../../support/socket.ts';
import { useShared } from '../../support/use-each.ts';

const ORIGIN = 'https://shop.example';
const FLAGS = { corsOrigins: ORIGIN, rateLimit: '1000/60s' };

const service = useShared(() => listen(FLAGS));
const failing = useShared(() =>
  listen(FLAGS, (database) => ({
    ...database,
    checkHealth: () => Promise.reject(new StorageError('unavailable', 'gone')),
  })),
);

/** Pages can always read these (Fetch Standard), and those of CORS are for the browser. */
const READABLE =
  /^(?:cache-control|content-language|content-length|content-type|expires|last-modified|pragma|access-control-.*)$/;
/** Headers of the connection, not of the response. */
const OF_CONNECTION = /^(?:connection|keep-alive|transfer-encoding)$/;

const toExpose = (names: Iterable<string>): string[] =>
  [...new Set([...names].map((name) => name.toLowerCase()))]
    .filter((name) => !READABLE.test(name) && !OF_CONNECTION.test(name))
    .sort();

const REX = '{"name":"Rex","categoryId":1}';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT_TYPE = { 'Content-Type': 'text/plain' };

/** Requests whose responses together have all headers that a response can have. */
const REQUESTS: readonly (readonly [string, string, Record<string, string>, string?])[] = [
  ['POST', '/v1/pets', { ...JSON_TYPE, 'Idempotency-Key': 'one' }, REX],
  ['POST', '/v1/pets', { ...JSON_TYPE, 'Idempotency-Key': 'one' }, REX],
  ['POST', '/v1/pets', JSON_TYPE, REX],
  ['GET', '/v1/pets?limit=1', { Prefer: 'handling=strict' }],
  ['GET', '/v1/pets/1', {}],
  ['GET', '/v1/pets/1', { 'If-None-Match': '*' }],
  ['HEAD', '/v1/pets/1', {}],
  ['POST', '/v1/pets', TEXT_TYPE, REX],
  ['PATCH', '/v1/pets/1', TEXT_TYPE, REX],
  ['PUT', '/v1/pets', {}],
  ['HEAD', '/v1/events/stream', {}],
  ['GET', '/v1/nothing', { Authorization: 'Bearer wrong' }],
  ['GET', '/docs', {}],
];

const send = (
  at: SocketService,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Response> =>
  fetch(`${at.origin}${path}`, {
    method,
    headers: { Origin: ORIGIN, Authorization: `Bearer ${at.key}`, ...headers },
    ...(body !== undefined && { body }),
  });

const declared = operationsIn(DOCUMENT)
  .flatMap(({ responses }) => Object.values(responses))
  .flatMap(({ headers = {} }) => Object.keys(headers));

test('the exposed headers are exactly those of the document and of the responses', async () => {
  const responses = [await send(failing, 'GET', '/readyz')];
  for (const request of REQUESTS) responses.push(await send(service, ...request));
  const sent = responses.flatMap(({ headers }) => [...headers.keys()]);
  for (const name of ['www-authenticate', 'allow', 'accept', 'accept-patch', 'date', 'retry-after'])
    expect(sent).toContain(name);
  expect(toExpose(sent)).toEqual(expect.arrayContaining(toExpose(declared)));
  for (const { headers } of responses) {
    const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
    expect(toExpose(exposed)).toEqual(toExpose([...declared, ...sent]));
    expect(exposed).toHaveLength(toExpose(exposed).length);
  }
});
