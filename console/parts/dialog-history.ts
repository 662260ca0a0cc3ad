import { type RefObject, useLayoutEffect } from 'react';

/**
 * While a dialog is open, the history of the browser has one more entry with the same address. So Back closes the
 * dialog and does not leave the screen. All open dialogs share this entry, and Back closes the topmost one.
 */
const open: RefObject<() => void>[] = [];
let hasEntry = false;

/** Adds or removes the entry. One dialog may have replaced another meanwhile. */
function settle(): void {
  if (open.length > 0 && !hasEntry) {
    hasEntry = true;
    history.pushState(history.state, '');
  } else if (open.length === 0 && hasEntry) {
    hasEntry = false;
    history.back();
  }
}

function goneBack(): void {
  if (!hasEntry) return;
  hasEntry = false;
  open.at(-1)?.current();
  // If the dialog asks first, the next Back closes the question.
  setTimeout(settle);
}

addEventListener('popstate', goneBack);

/** @param leave closes the dialog, or asks before */
export function useDialogHistory(leave: RefObject<() => void>): void {
  useLayoutEffect(() => {
    open.push(leave);
    queueMicrotask(settle);
    return () => {
      open.splice(open.indexOf(leave), 1);
      queueMicrotask(settle);
    };
  }, [leave]);
}
