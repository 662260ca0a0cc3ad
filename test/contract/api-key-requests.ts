import type { createApiKey } from '../../src/api-keys/create-api-key.ts';
import type { listApiKeys } from '../../src/api-keys/list-api-keys.ts';
import type { Result } from '../../src/http/contract/handler.ts';
import type { TestService } from '../support/service.ts';

export type ListedKey = Result<typeof listApiKeys>['body'][number];
export type CreatedKey = Result<typeof createApiKey>['body'];

/** The requests that tests of API keys send to a service. */
export function apiKeyRequests(service: TestService) {
  const create = (body: unknown) => service.request('POST', '/v1/api-keys', { body });
  const list = (query = '?limit=100') => service.request('GET', `/v1/api-keys${query}`);
  return {
    create,
    list,
    revoke: (id: unknown) => service.request('DELETE', `/v1/api-keys/${id}`),
    rotate: (id: unknown, gracePeriodSeconds: unknown = 60, expiresAt?: string) =>
      service.request('POST', `/v1/api-keys/${id}/rotate`, {
        body: { gracePeriodSeconds, ...(expiresAt && { expiresAt }) },
      }),
    createKey: async (fields: object = {}) =>
      (await create({ name: 'web shop', ...fields })).json as CreatedKey,
    find: async (id: number) => ((await list()).json as ListedKey[]).find((key) => key.id === id),
    isValid: async ({ key }: CreatedKey) =>
      (await service.request('GET', '/v1/pets', { key })).status === 200,
    /** The time after some milliseconds, in ISO 8601. */
    timeIn: (ms: number) => new Date(service.clock.now() + ms).toISOString(),
  };
}
