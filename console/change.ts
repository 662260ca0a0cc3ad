import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isBrief } from './failures.ts';

type Callbacks<Data, Variables> = Pick<
  UseMutationOptions<Data, Error, Variables>,
  'onSuccess' | 'onError' | 'onSettled'
>;

interface Change<Data, Variables> extends Callbacks<Data, Variables> {
  /** @param idempotencyKey of the intention, for a request that creates something. */
  readonly request: (variables: Variables, idempotencyKey: string) => Promise<Data>;
}

/**
 * A change of what the service stores. While it runs, it does not begin again: the second click of a double click comes before
 * React has disabled the button. A request that is sent again after a failure has the same idempotency key, so that nothing is created
 * twice if only the response was lost. After a success, the same values are another intention.
 */
export function useChange<Data, Variables = void>({
  request,
  ...callbacks
}: Change<Data, Variables>) {
  const isRunning = useRef(false);
  const intention = useRef({ values: '', key: '' });
  const keyOf = (variables: Variables): string => {
    const values = JSON.stringify(variables);
    if (intention.current.values !== values) intention.current = { values, key: randomKey() };
    return intention.current.key;
  };
  const mutation = useMutation<Data, Error, Variables>({
    ...callbacks,
    mutationFn: (variables) => request(variables, keyOf(variables)),
    onSuccess: (...parameters) => {
      intention.current = { values: '', key: '' };
      return callbacks.onSuccess?.(...parameters);
    },
    onSettled: (...parameters) => {
      isRunning.current = false;
      return callbacks.onSettled?.(...parameters);
    },
  });
  useForgetOutage(mutation.error, mutation.reset);
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

/** 128 random bits. Pages that are not served over HTTPS have no `crypto.randomUUID`. */
export const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
