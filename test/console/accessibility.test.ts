/** axe finds nothing on any screen, light and dark, wide and narrow: 15 s of its work. The drill runs every rule in each combination. */
import { describe, expect, test } from 'bun:test';
import { AXE_LIMIT_MS, expectNoSidewaysScroll, expectNoViolations } from '../support/axe.ts';
import { LOCAL_WEBHOOK_FLAGS } from '../support/webhook-receiver.ts';
import { signIn, useConsole } from './console-page.ts';
import { button } from './places.ts';
import { visitScreens } from './screens.ts';

const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 844 };

describe('light and dark, wide and narrow', () => {
  const current = useConsole({ flags: LOCAL_WEBHOOK_FLAGS, isOpen: true });

  /** The colours are dark in every other state: each of them is met in both. */
  let isDark = false;

  const check = async (screen: string) => {
    const { page } = current;
    // Nothing moves: the user prefers reduced motion.
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    await expectNoSidewaysScroll(page, `${screen}, narrow`);
    // axe asks for no name of these elements.
    const dialogs = await page.locator('dialog[open]').count();
    for (const [role, count] of [
      ['dialog', dialogs],
      ['progressbar', await page.locator('progress').count()],
    ] as const) {
      const named = count > 0 ? await page.getByRole(role, { name: /./ }).count() : 0;
      expect({ screen, role, named }).toEqual({ screen, role, named: count });
    }
    isDark = !isDark;
    await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
    if (dialogs > 0) return expectNoViolations(page, screen, { part: 'dialog[open]' });
    // A list has all its filters and the heads of its columns.
    await page.setViewportSize(WIDE);
    await expectNoViolations(page, `${screen}, wide`);
    await expectNoSidewaysScroll(page, `${screen}, wide`);
    await page.setViewportSize(NARROW);
  };

  test(
    'axe finds nothing, and nothing scrolls sideways',
    async () => {
      await current.page.setViewportSize(NARROW);
      await visitScreens(current, check);
    },
    AXE_LIMIT_MS,
  );
});

describe('with the colours of the operating system', () => {
  const current = useConsole({ isOpen: true });

  test('the focus and the choice are seen', async () => {
    const { page } = current;
    await page.emulateMedia({ forcedColors: 'active' });
    const outlineOf = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`);
    await button(page, 'Sign in').focus();
    expect(await outlineOf('button')).toBe('solid');
    await signIn(current);
    expect(await outlineOf('.choice:has(:checked)')).toBe('solid');
    await page.getByRole('radio', { name: 'All' }).press('ArrowRight');
    expect(await outlineOf('.choice:has(:checked)')).toBe('dashed');
  });
});
