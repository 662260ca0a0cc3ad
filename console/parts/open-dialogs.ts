import { useEffect, useId, useSyncExternalStore } from 'react';

/** The dialogs that are open, the topmost last. */
let open: readonly string[] = [];
const listeners = new Set<() => void>();

function change(changed: readonly string[]): void {
  open = changed;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How many dialogs are open. */
export const useOpenDialogs = (): number => useSyncExternalStore(subscribe, () => open.length);

/** True for the dialog that the user can reach. For a dialog only. */
export function useIsTopmost(): boolean {
  const id = useId();
  useEffect(() => {
    change([...open, id]);
    return () => change(open.filter((other) => other !== id));
  }, [id]);
  return useSyncExternalStore(subscribe, () => open.at(-1) === id);
}
