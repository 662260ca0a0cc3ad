import { reading, writing } from '../http/contract/handler.ts';
import { createApiKey, handleCreateApiKey } from './create-api-key.ts';
import { getCurrentApiKey, handleGetCurrentApiKey } from './get-current-api-key.ts';
import { handleListApiKeys, listApiKeys } from './list-api-keys.ts';
import { handleRevokeApiKey, revokeApiKey } from './revoke-api-key.ts';
import { handleRotateApiKey, rotateApiKey } from './rotate-api-key.ts';

/** The operations on API keys. */
export const apiKeyOperations = [
  writing(createApiKey, handleCreateApiKey),
  reading(listApiKeys, handleListApiKeys),
  reading(getCurrentApiKey, handleGetCurrentApiKey),
  writing(revokeApiKey, handleRevokeApiKey),
  writing(rotateApiKey, handleRotateApiKey),
];
