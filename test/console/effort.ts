import type { Page } from 'playwright-core';

/** What a task takes: clicks, keys such as Enter, and typed characters. */
export interface Effort {
  readonly clicks: number;
  readonly keys: number;
  readonly characters: number;
}

/** A key that leads somewhere is no text, even if it has a character: it is pressed outside a field. */
const COUNT = `(() => {
  window.effort?.counting.abort();
  const counting = new AbortController();
  const counts = { clicks: 0, keys: 0, characters: 0 };
  window.effort = { counting, counts };
  const on = (type, count) =>
    addEventListener(type, (event) => event.isTrusted && count(event), { capture: true, signal: counting.signal });
  on('pointerdown', () => { counts.clicks += 1; });
  on('keydown', ({ key, target }) => {
    if (key.length > 1 || !target.matches('input:not([type=radio]), textarea')) counts.keys += 1;
  });
  on('input', ({ data }) => { if (data?.length === 1) counts.characters += 1; });
})()`;

const EFFORT = 'JSON.stringify(window.effort.counts)';

/** Counts from now on what the user does. Returns a function that says what it was, and that the page was not loaded again. */
export async function countEffort(page: Page): Promise<() => Promise<Effort>> {
  await page.evaluate(COUNT);
  return async () => JSON.parse(await page.evaluate(EFFORT));
}
