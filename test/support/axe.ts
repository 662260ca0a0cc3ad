import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

interface What {
  /** A selector of the parts to check, by default the whole page. */
  readonly part?: string;
  /** The rules, by default all of them, also the best practices. */
  readonly rules?: readonly string[];
}

/** The limit of a walk through many states. It takes half a minute, and minutes beside other work. */
export const AXE_LIMIT_MS = 300_000;

/** Checks a page by axe. */
export async function expectNoViolations(
  page: Page,
  name: string,
  { part = 'html', rules }: What = {},
): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(run)) as {
    violations: Violation[];
  };
  const found = violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
  }));
  expect({ name, found }).toEqual({ name, found: [] });
}

/** Fails if a part of the page is hidden beside the screen. */
export async function expectNoSidewaysScroll(page: Page, name: string): Promise<void> {
  const hidden = await page.evaluate(
    "Math.max(...[...document.querySelectorAll('html, dialog')].map((box) => box.scrollWidth - box.clientWidth))",
  );
  expect({ name, hidden }).toEqual({ name, hidden: 0 });
}

const WIDE = { width: 1280, height: 844 };
const NARROW = { width: 390, height: 844 };

/** Rules whose result depends on the colours, and on the width. The others depend on neither. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const RULES_OF_WIDTH = ['scrollable-region-focusable'];

/** Checks a page, or its open dialog alone, in light and dark, wide and narrow, and leaves it in light and wide. */
export async function checkAllAppearances(page: Page, name: string, part?: string): Promise<void> {
  const hasDialog = (await page.locator('dialog[open]').count()) > 0;
  const place = { part: part ?? (hasDialog ? 'dialog[open]' : 'html') };
  await expectNoViolations(page, name, place);
  await expectNoSidewaysScroll(page, name);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(NARROW);
  await expectNoViolations(page, `${name}, dark and narrow`, {
    ...place,
    rules: [...RULES_OF_COLOURS, ...RULES_OF_WIDTH],
  });
  await expectNoSidewaysScroll(page, `${name}, narrow`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
}
