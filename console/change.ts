import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { hasCode, isBrief } from './failures.ts';
import { useRefresh } from './refresh.ts';
import { useSession } from './session.tsx';
import type { Store } from './store.ts';

interface Options<Data, Variables>
  extends Pick<UseMutationOptions<Data, Error, Variables>, 'onSuccess' | 'onError'> {
  /** What is loaded again after the change, or after its failure. */
  readonly refreshes?: Parameters<ReturnType<typeof useRefresh>>[0] | 'nothing';
}

/**
 * A change of what the service stores. While it runs, it does not begin again. The second click of a double click comes before
 * React has disabled the button. A request that is sent again after a failure has the same idempotency key. Nothing is created
 * twice if only the response was lost. After a success, the same values are another intention.
 * @param request gets the idempotency key of the intention, for a request that creates something.
 */
export function useChange<Data, Variables = void>(
  request: (store: Store, variables: Variables, idempotencyKey: string) => Promise<Data>,
  { refreshes = 'shown', ...callbacks }: Options<Data, Variables> = {},
) {
  const { store } = useSession();
  const refresh = useRefresh();
  const isRunning = useRef(false);
  const intention = useRef({ values: '', key: '' });
  const keyOf = (variables: Variables): string => {
    const values = JSON.stringify(variables);
    if (intention.current.values !== values) intention.current = { values, key: randomKey() };
    return intention.current.key;
  };
  const mutation = useMutation<Data, Error, Variables>({
    ...callbacks,
    mutationKey: [refreshes],
    mutationFn: (variables) => request(store, variables, keyOf(variables)),
    onSuccess: (...parameters) => {
      intention.current = { values: '', key: '' };
      return callbacks.onSuccess?.(...parameters);
    },
    onSettled: () => {
      isRunning.current = false;
      if (refreshes !== 'nothing') refresh(refreshes);
    },
  });
  useForgetOutage(mutation.error, () => {
    // A reset of a change that runs again would lose its result.
    if (!isRunning.current) mutation.reset();
  });
  const mutate: typeof mutation.mutate = (...parameters) => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(...parameters);
  };
  return { ...mutation, mutate };
}

/** Forgets that the service could not be reached, once the page has seen that it was away and is back. */
function useForgetOutage(error: unknown, forget: () => void): void {
  const queries = useQueryClient();
  const isOutage = error !== null && isBrief(error);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure is forgotten once
  useEffect(() => {
    if (!isOutage) return;
    let isAway = false;
    return queries.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated') return;
      if (event.action.type === 'failed' || event.action.type === 'error') isAway = true;
      else if (event.action.type === 'success' && isAway) forget();
    });
  }, [isOutage, queries]);
}

/** An edit whose response was lost is made again, and finds what it has done. */
export const editSurely = <Data>(edit: () => Promise<Data>): Promise<Data> =>
  edit().catch((error: unknown) => {
    if (hasCode(error, 'precondition_failed')) return edit();
    throw error;
  });

/** 128 random bits. Pages that are not served over HTTPS have no `crypto.randomUUID`. */
export const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
