/** CORS: a page can read every header that an answer carries, without a list that somebody has to remember. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import document from '../../../openapi.json' with { type: 'json' };
import { StorageError } from '../../../src/storage/database.ts';
import { listen, type SocketService } from '../../support/socket.ts';

const ORIGIN = 'https://shop.example';
const FLAGS = { corsOrigins: ORIGIN, rateLimit: '1000/60s' };

let service: SocketService;
let failing: SocketService;
beforeAll(async () => {
  service = await listen(FLAGS);
  failing = await listen(FLAGS, (database) => ({
    ...database,
    ping: () => Promise.reject(new StorageError('unavailable', 'gone')),
  }));
});
afterAll(() => Promise.all([service.close(), failing.close()]));

/** Those that the Fetch Standard lets pages read anyway, and those of CORS itself. */
const READABLE =
  /^(?:cache-control|content-language|content-length|content-type|expires|last-modified|pragma|access-control-.*)$/;
/** Belongs to the connection: it is no part of the answer. */
const OF_CONNECTION = /^(?:connection|keep-alive|transfer-encoding)$/;

const toExpose = (names: Iterable<string>): string[] =>
  [...new Set([...names].map((name) => name.toLowerCase()))]
    .filter((name) => !READABLE.test(name) && !OF_CONNECTION.test(name))
    .sort();

const REX = '{"name":"Rex","categoryId":1}';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT_TYPE = { 'Content-Type': 'text/plain' };

/** Requests whose answers carry, all together, whatever answers can carry. */
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
  ['GET', '/v1/nothing', { Authorization: 'Bearer wrong' }],
  ['GET', '/docs', {}],
  ['GET', '/openapi.json', {}],
  ['GET', '/readyz', {}],
];

async function answersOf(at: SocketService): Promise<Response[]> {
  const answers: Response[] = [];
  for (const [method, path, headers, body] of REQUESTS)
    answers.push(
      await fetch(`${at.origin}${path}`, {
        method,
        headers: { Origin: ORIGIN, Authorization: `Bearer ${at.key}`, ...headers },
        ...(body !== undefined && { body }),
      }),
    );
  return answers;
}

const carriedBy = (answers: readonly Response[]) =>
  answers.flatMap(({ headers }) => [...headers.keys()]);

const declared = Object.values(document.paths)
  .flatMap((item): object[] => Object.values(item))
  .flatMap((operation) => Object.values((operation as { responses: object }).responses))
  .flatMap((response: { readonly headers?: object }) => Object.keys(response.headers ?? {}));

test('what a page may read is what the document declares and what answers carry: no less and no more', async () => {
  const answers = [...(await answersOf(service)), ...(await answersOf(failing))];
  const carried = carriedBy(answers);
  for (const name of ['www-authenticate', 'allow', 'accept', 'accept-patch', 'date', 'retry-after'])
    expect(carried).toContain(name);
  for (const { headers } of answers) {
    const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
    expect(toExpose(exposed)).toEqual(toExpose([...declared, ...carried]));
    expect(exposed).toHaveLength(toExpose(exposed).length);
  }
});

test('what the document declares is carried by answers', async () => {
  const carried = toExpose(
    carriedBy([...(await answersOf(service)), ...(await answersOf(failing))]),
  );
  for (const name of toExpose(declared)) expect(carried).toContain(name);
});
