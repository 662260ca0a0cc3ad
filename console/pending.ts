import { useIsMutating } from '@tanstack/react-query';

/** True while a request that changes something is pending, whatever part of the page has sent it. */
export const useIsPending = (): boolean =>
  useIsMutating({ predicate: ({ options }) => options.mutationKey?.[0] !== 'nothing' }) > 0;
