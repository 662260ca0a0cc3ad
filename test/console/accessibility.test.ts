/** axe finds nothing on any screen, light and dark, wide and narrow. The drill runs every rule in each combination. */
import { describe, expect, test } from 'bun:test';
import { AXE_LIMIT_MS, checkAllAppearances } from '../support/axe.ts';
import { LOCAL_WEBHOOK_FLAGS } from '../support/webhook-receiver.ts';
import { signIn, useConsole } from './console-page.ts';
import { button } from './places.ts';
import { visitScreens } from './screens.ts';

describe('light and dark, wide and narrow', () => {
  const current = useConsole({
    flags: LOCAL_WEBHOOK_FLAGS,
    context: { viewport: { width: 1280, height: 844 } },
    isOpen: true,
  });

  const check = async (screen: string) => {
    // Nothing moves: the user prefers reduced motion.
    expect(await current.page.evaluate('document.getAnimations().length')).toBe(0);
    await checkAllAppearances(current.page, screen);
  };

  test(
    'axe finds nothing, and nothing scrolls sideways',
    () => visitScreens(current, check),
    AXE_LIMIT_MS,
  );
});

describe('with the colours of the operating system', () => {
  const current = useConsole({ context: { forcedColors: 'active' }, isOpen: true });

  test('the focus and the choice are seen', async () => {
    const { page } = current;
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
