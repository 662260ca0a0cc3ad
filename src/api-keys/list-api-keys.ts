import { z } from '@hono/zod-openapi';
import { type Handler, operation } from '../http/operation.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, page } from '../http/page.ts';
import { chain } from '../maybe-promise.ts';
import { ApiKeyBody, describeKey, EXAMPLE_KEY } from './api-key-resource.ts';
import type { ApiKeyReader } from './api-key-store.ts';

export const listApiKeys = operation({
  id: 'listApiKeys',
  method: 'get',
  path: '/api-keys',
  tag: 'API keys',
  summary: 'List API keys',
  description:
    'Returns a page of all keys ever made, ascending by id, without the keys themselves.',
  scope: 'keys:admin',
  stability: 'beta',
  query: z.object(PAGE_PARAMETERS),
  answers: {
    200: {
      description: 'A page of keys.',
      schema: z.array(ApiKeyBody),
      example: [EXAMPLE_KEY],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
});

export const handleListApiKeys =
  ({ apiKeys, baseUrl }: { apiKeys: ApiKeyReader; baseUrl: string }): Handler<typeof listApiKeys> =>
  ({ query: { limit, cursor } }) =>
    page(
      { limit, cursor, baseUrl, path: listApiKeys.path, filters: {}, links: true },
      (afterId, count) => chain(apiKeys.list(afterId, count), (keys) => keys.map(describeKey)),
    );
