import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { NewApiKey } from '../../sdk/src/index.ts';
import { useChange } from '../change.ts';
import { firstPage } from '../first-page.ts';
import { reading } from '../reading.ts';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';

/** The most that one page of the service holds: a key and its successor are on one page then, in most stores. */
const PAGE_SIZE = 100;

/** One page of API keys. While another page loads, the present one stays. */
export function useApiKeys(cursor: string) {
  const { store } = useSession();
  return useQuery({
    queryKey: ['api-keys', cursor],
    queryFn: ({ signal }) =>
      firstPage(
        store.apiKeys.list({ limit: PAGE_SIZE, ...(cursor && { cursor }) }, reading(signal)),
      ),
    placeholderData: keepPreviousData,
  });
}

export function useCreateKey() {
  const { store } = useSession();
  return useChange({
    request: (key: NewApiKey, idempotencyKey) => store.apiKeys.create(key, { idempotencyKey }),
    onSettled: useRefresh(),
  });
}

/** Rotates an API key. If it is the key of the user, the page continues with the new one. */
export function useRotateKey() {
  const { store, key, adopt } = useSession();
  const refresh = useRefresh();
  return useChange({
    request: ({ id, gracePeriodSeconds }: { id: string; gracePeriodSeconds: number }) =>
      store.apiKeys.rotate(id, { gracePeriodSeconds }),
    onSuccess: (successor, { id }) => {
      if (id === key.id) adopt(successor);
      refresh();
    },
  });
}

export function useRevokeKey() {
  const { store } = useSession();
  return useChange({
    request: (id: string) => store.apiKeys.revoke(id),
    onSettled: useRefresh(),
  });
}
