import { type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

export const KNOWN = 'known-categories';

/**
 * Loads again what is shown, also after a change that failed. Another change may be the cause, or the response was lost.
 * One change can affect several lists: an order, its animal and the counts. Does not wait for them, so that a dialog
 * closes before its own animal is loaded again. The names of all categories are many requests: only a change of them loads them again.
 */
export function useRefresh() {
  const queries = useQueryClient();
  return (what: 'shown' | 'all' = 'shown'): void => {
    const isMeant = ({ queryKey: [head] }: Query) => what === 'all' || head !== KNOWN;
    // What is loaded for the first time may be older than the change. Invalidating does not request it again.
    const isFirst = (query: Query) => isMeant(query) && query.state.data === undefined;
    void queries.cancelQueries({ predicate: isFirst });
    void queries.invalidateQueries({ predicate: isMeant });
  };
}

/** The same, but it waits for requests that have begun: several holds may end at once. */
export function useJoinedRefresh(): () => void {
  const queries = useQueryClient();
  return useCallback(
    () => void queries.invalidateQueries(undefined, { cancelRefetch: false }),
    [queries],
  );
}
