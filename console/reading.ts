import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { CallOptions } from '../sdk/src/index.ts';
import { useSession } from './session.tsx';
import type { Store } from './store.ts';
import { forgetWait } from './waits.ts';

/** The options of a request that reads. The client does not retry it because the page shows why it waits, and for how long. */
export const reading = (signal: AbortSignal): CallOptions => ({ signal, maxRetries: 0 });

/**
 * The options of one of many requests, which nobody sees. A wait of the service is no reason to stop. The page says so, and the
 * user can leave the wait.
 */
export const patient = (signal: AbortSignal): CallOptions => ({
  signal,
  maxRetries: 10,
  onRetry: ({ request }) => signal.addEventListener('abort', () => forgetWait(request)),
});

/** What the service has. The key names it in the memory of the page: `live/` knows by it what a change affects. */
export function useRead<Data>(
  queryKey: readonly unknown[],
  read: (store: Store, options: CallOptions) => Promise<Data>,
  options: Omit<UseQueryOptions<Data>, 'queryKey' | 'queryFn'> = {},
) {
  const { store } = useSession();
  return useQuery({
    ...options,
    queryKey,
    queryFn: ({ signal }) => read(store, reading(signal)),
  });
}

/** A dialog shows the present version of what it is about, and loads it again only if it changes, perhaps while the tab is hidden. */
export const OF_DIALOG = {
  staleTime: 0,
  gcTime: 0,
  refetchOnWindowFocus: ({ state }: { readonly state: { readonly isInvalidated: boolean } }) =>
    state.isInvalidated,
} as const;
