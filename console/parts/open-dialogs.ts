import { type RefObject, useLayoutEffect, useSyncExternalStore } from 'react';

/** How each open dialog is left, or asks before. The topmost is last. */
let open: readonly RefObject<() => void>[] = [];
const listeners = new Set<() => void>();

function change(changed: typeof open): void {
  open = changed;
  for (const listener of listeners) listener();
}

export const openDialogs = (): typeof open => open;

export function listenToDialogs(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useOpenDialogs = (): number =>
  useSyncExternalStore(listenToDialogs, () => open.length);

/** True for the dialog that the user can reach. For a dialog only. */
export function useIsTopmost(leave: RefObject<() => void>): boolean {
  useLayoutEffect(() => {
    change([...open, leave]);
    return () => change(open.filter((other) => other !== leave));
  }, [leave]);
  return useSyncExternalStore(listenToDialogs, () => open.at(-1) === leave);
}
