import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

/**
 * Loads again what is shown, also after a change that failed: another one may be the cause, or the response was lost.
 * One change can affect several lists: an order, its animal and the counts. Does not wait for them, so that a dialog
 * closes before its own animal is loaded again.
 */
export function useRefresh(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries();
}

/** The same, but it waits for requests that have begun: several holds may end at once. */
export function useJoinedRefresh(): () => void {
  const queries = useQueryClient();
  return useCallback(
    () => void queries.invalidateQueries(undefined, { cancelRefetch: false }),
    [queries],
  );
}
