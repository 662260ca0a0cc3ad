import { keepPreviousData } from '@tanstack/react-query';
import type { NewApiKey } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { unlessGone } from '../failures.ts';
import { firstPage, MAX_PAGE_SIZE } from '../first-page.ts';
import { useRead } from '../reading.ts';
import { useSession } from '../session.tsx';

/**
 * One page of API keys, so long that a key and its successor are on one page in most stores. While another page loads, the present
 * one stays.
 */
export const useApiKeys = (cursor: string) =>
  useRead(
    ['api-keys', cursor],
    (store, options) =>
      firstPage(store.apiKeys.list({ limit: MAX_PAGE_SIZE, ...(cursor && { cursor }) }, options)),
    { placeholderData: keepPreviousData },
  );

export const useCreateKey = () =>
  useChange((store, key: NewApiKey, idempotencyKey) =>
    store.apiKeys.create(key, { idempotencyKey }),
  );

/** Rotates an API key. If it is the key of the user, the page continues with the new one. */
export function useRotateKey(id: string) {
  const { key, adopt } = useSession();
  return useChange(
    (store, gracePeriodSeconds: number, idempotencyKey) =>
      store.apiKeys.rotate(id, { gracePeriodSeconds }, { idempotencyKey }),
    id === key.id ? { onSuccess: adopt } : {},
  );
}

export const useRevokeKey = () =>
  useChange((store, id: string) => store.apiKeys.revoke(id).catch(unlessGone('key')));
