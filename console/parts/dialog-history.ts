import { listenToDialogs, openDialogs } from './open-dialogs.ts';

/**
 * While a dialog is open, the history of the browser has one more entry with the same address. So Back closes the
 * dialog and does not leave the screen. All open dialogs share this entry, and Back closes the topmost one.
 * The browser needs some time to go back. A dialog that is opened during that time waits for it, or it would be closed.
 */
let entry: 'absent' | 'present' | 'leaving' = 'absent';
/** The address of the screen with the dialogs. */
let address = '';
let state: unknown;

/** Adds or removes the entry. One dialog may have replaced another in between. */
function settle(): void {
  if (openDialogs().length > 0 && entry === 'absent') {
    entry = 'present';
    address = location.href;
    state = history.state;
    history.pushState(state, '');
  } else if (openDialogs().length === 0 && entry === 'present') {
    entry = 'leaving';
    history.back();
  }
}

function moved(): void {
  const hasLeft = entry === 'present' && location.href !== address;
  // The user has left the screen: by several entries at once, or by another address. The dialog needs its screen while it may ask.
  if (hasLeft) history.pushState(state, '', address);
  if (entry === 'present') openDialogs().at(-1)?.current();
  entry = 'absent';
  setTimeout(() => {
    // If the dialog asks first, the next Back closes the question. Otherwise the user goes where they wanted to.
    if (!hasLeft || openDialogs().length > 0) return settle();
    entry = 'leaving';
    history.back();
  });
}

addEventListener('popstate', moved);
listenToDialogs(() => queueMicrotask(settle));
