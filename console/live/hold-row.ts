/** After these, the page may move: the gestures of the user, and a notice that is revealed. */
const MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'reveal'] as const;

/** The row that is being read: with the focus, below the pointer, or the first row on the screen. */
function rowInSight(): Element | undefined {
  const rows = [...document.querySelectorAll('main .list tbody tr')];
  const has = (selector: string) => rows.find((row) => row.matches(selector));
  return (
    has(':focus-within') ??
    has(':hover') ??
    rows.find((row) => row.getBoundingClientRect().top >= 0)
  );
}

/**
 * Keeps the row that is being read in its place while a list changes. Rows before it go where the page is scrolled to.
 * Returns a function that ends it after the next change of the screen.
 */
export function holdRow(): () => void {
  const row = rowInSight();
  const main = document.querySelector('main');
  if (row === undefined || main === null) return () => {};
  const { top } = row.getBoundingClientRect();
  const observer = new MutationObserver(() => {
    if (row.isConnected)
      scrollBy({ top: row.getBoundingClientRect().top - top, behavior: 'instant' });
  });
  const end = () => {
    observer.disconnect();
    for (const move of MOVES) removeEventListener(move, end);
  };
  for (const move of MOVES) addEventListener(move, end, { passive: true });
  observer.observe(main, { childList: true, subtree: true });
  return () => requestAnimationFrame(() => requestAnimationFrame(end));
}
