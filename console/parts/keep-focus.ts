import { useLayoutEffect, useRef } from 'react';

/**
 * Attributes of an element that takes the focus if its part with the focus is removed: a deleted row.
 * Otherwise a keyboard would start again at the top of the page.
 */
export function useKeepFocus<T extends HTMLElement>() {
  const ref = useRef<T>(null);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body)
      ref.current?.focus({ preventScroll: true });
    // React reports no event if a dialog gives the focus back while React changes the page.
    hadFocus.current ||= ref.current?.contains(document.activeElement) === true;
  });
  return {
    ref,
    tabIndex: -1,
    onFocus: () => {
      hadFocus.current = true;
    },
    onBlur: () => {
      hadFocus.current = false;
    },
  };
}
