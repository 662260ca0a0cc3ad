/** Who manages keys can do everything: that is so, and the document says it where keys are made. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import document from '../../openapi.json' with { type: 'json' };
import { SCOPES } from '../../src/http/contract/scopes.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let admin: string;
beforeAll(async () => {
  service = await startService();
  admin = (await service.issueKey(['keys:admin'])).secret;
});
afterAll(() => service.close());

const { post: createApiKey } = document.paths['/api-keys'];
const { post: rotateApiKey } = document.paths['/api-keys/{keyId}/rotate'];

test('a key with keys:admin alone can make a key with every scope, and the description says so', async () => {
  const body = { name: 'all', scopes: SCOPES };
  const made = await service.request('POST', '/v1/api-keys', { key: admin, body });
  expect(made.json).toMatchObject({ scopes: SCOPES });
  expect(createApiKey.description).toContain(
    'The new key may have scopes that the key of the request does not have. ' +
      'So a key with `keys:admin` can obtain every scope: give it only to those who may do everything.',
  );
});

test('a key with keys:admin alone obtains the scopes of a key that it rotates, and the description says so', async () => {
  const { key } = await service.issueKey(['pets:write']);
  const body = { gracePeriodSeconds: 0 };
  const path = `/v1/api-keys/${key.id}/rotate`;
  const rotated = await service.request('POST', path, { key: admin, body });
  expect(rotated.json).toMatchObject({ scopes: ['pets:write'], key: expect.any(String) });
  expect(rotateApiKey.description).toContain(
    'The successor may have scopes that the key of the request does not have.',
  );
});
