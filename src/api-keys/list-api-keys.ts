import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { PAGE_HEADERS, page, pageOf, pageParameters } from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
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
    'Returns a page of all API keys, ascending by id, including expired and revoked ones. The keys themselves are not returned.',
  scope: 'keys:admin',
  stability: 'beta',
  query: z.object(pageParameters('/api-keys')),
  responses: {
    200: {
      description: 'A page of keys.',
      schema: pageOf(ApiKeyBody),
      example: [EXAMPLE_KEY],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
});

interface Deps {
  readonly apiKeys: ApiKeyReader;
  readonly baseUrl: string;
}

export const handleListApiKeys: DirectHandler<typeof listApiKeys, Deps> = (
  { apiKeys, baseUrl },
  { query: { limit, cursor } },
) =>
  page({ limit, cursor, baseUrl, path: listApiKeys.path }, (afterId, count) =>
    chain(apiKeys.list(afterId, count), (keys) => keys.map(describeKey)),
  );
