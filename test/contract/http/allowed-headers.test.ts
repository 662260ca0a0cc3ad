/** CORS: a page can send every header that the service reads. Compared with what it reads, not with a list. */
import { expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import { startService } from '../../support/service.ts';

/** Browsers allow these without a question, or never let a page set them (Fetch Standard). */
const OF_BROWSER =
  /^(?:accept|accept-encoding|access-control-request-.*|connection|content-length|host|origin|trailer)$/;
/** Proxies add it. */
const OF_PROXY = 'x-forwarded-for';

const ORIGIN = 'https://shop.example';

test('a preflight allows exactly the headers that the service reads', async () => {
  const options = { corsOrigins: [ORIGIN] };
  await using service = await startService({ options, logClientAddress: true });
  const read = new Set<string>();
  const send = async (method: string, path: string, headers: Record<string, string>) => {
    const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method);
    const request = new Request(`http://127.0.0.1${path}`, {
      method,
      headers,
      ...(hasBody && { body: '{"name":"Rex","categoryId":1}' }),
    });
    const sent = request.headers;
    for (const way of ['get', 'has'] as const) {
      const look = sent[way].bind(sent);
      Object.defineProperty(sent, way, {
        value: (name: string) => {
          read.add(name.toLowerCase());
          return look(name);
        },
      });
    }
    return service.app.fetch(request);
  };
  for (const { operation } of operationsOf(true))
    for (const Authorization of [`Bearer ${service.key}`, 'Bearer wrong'])
      await send(
        operation.method.toUpperCase(),
        `/v1${operation.path.replaceAll(/\{\w+\}/g, '1')}`,
        { Authorization, 'Idempotency-Key': `"${operation.id}"` },
      );
  for (const path of ['/', '/livez']) await send('GET', path, {});
  const preflight = await send('OPTIONS', '/v1/pets', {
    Origin: ORIGIN,
    'Access-Control-Request-Method': 'POST',
  });
  const allowed = preflight.headers.get('access-control-allow-headers') ?? '';
  const needed = [...read].filter((name) => !OF_BROWSER.test(name) && name !== OF_PROXY);
  expect(needed).toContain('authorization');
  expect(allowed.toLowerCase().split(', ').sort()).toEqual(needed.sort());
});
