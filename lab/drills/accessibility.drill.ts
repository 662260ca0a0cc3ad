/** Every rule of axe in each state of the console and of the reference, light and dark, wide and narrow. */
import { describe, test } from 'bun:test';
import { useConsole } from '../../test/console/console-page.ts';
import { visitScreens } from '../../test/console/screens.ts';
import { PAGES } from '../../test/reference/reference-pages.ts';
import { openPage, searchFor, useForms } from '../../test/reference/states.ts';
import { expectNoSidewaysScroll, expectNoViolations } from '../../test/support/axe.ts';
import { sharedChromium } from '../../test/support/chromium.ts';
import { listen } from '../../test/support/socket.ts';
import { LOCAL_WEBHOOK_FLAGS } from '../../test/support/webhook-receiver.ts';

const APPEARANCES = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 390 },
] as const;

describe.each(APPEARANCES)('in $colorScheme, $width pixels wide', ({ colorScheme, width }) => {
  const context = { colorScheme, viewport: { width, height: 844 } };
  const current = useConsole({ flags: LOCAL_WEBHOOK_FLAGS, context, isOpen: true });

  test('axe finds nothing in the console, and nothing scrolls sideways', () =>
    visitScreens(current, async (screen) => {
      await expectNoViolations(current.page, screen);
      await expectNoSidewaysScroll(current.page, screen);
    }));
});

test.each(APPEARANCES)(
  'axe finds nothing in the reference in $colorScheme, $width pixels wide, and nothing scrolls sideways',
  async (appearance) => {
    const service = await listen();
    const page = await openPage(await sharedChromium(), service, appearance);
    const check = async (state: string) => {
      await expectNoViolations(page, state);
      await expectNoSidewaysScroll(page, state);
    };
    for (const path of PAGES) {
      await page.goto(path);
      await check(path);
    }
    await searchFor(page, 'category', check);
    await page.goto('/docs');
    await useForms(page, service.key, check);
    await page.context().close();
    await service.close();
  },
);
