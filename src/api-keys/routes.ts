import { auditedWriting, reading } from '../http/contract/handler.ts';
import { createApiKey, handleCreateApiKey, reportCreatedApiKey } from './create-api-key.ts';
import { getCurrentApiKey, handleGetCurrentApiKey } from './get-current-api-key.ts';
import { handleListApiKeys, listApiKeys } from './list-api-keys.ts';
import { handleRevokeApiKey, reportRevokedApiKey, revokeApiKey } from './revoke-api-key.ts';
import { handleRotateApiKey, reportRotatedApiKey, rotateApiKey } from './rotate-api-key.ts';

export const apiKeyOperations = [
  auditedWriting(
    createApiKey,
    handleCreateApiKey,
    (_, { body }) => `api-keys/${body.id}`,
    reportCreatedApiKey,
  ),
  reading(listApiKeys, handleListApiKeys),
  reading(getCurrentApiKey, handleGetCurrentApiKey),
  auditedWriting(
    revokeApiKey,
    handleRevokeApiKey,
    ({ params }) => `api-keys/${params.keyId}`,
    reportRevokedApiKey,
  ),
  auditedWriting(
    rotateApiKey,
    handleRotateApiKey,
    ({ params }) => `api-keys/${params.keyId}`,
    reportRotatedApiKey,
  ),
];
