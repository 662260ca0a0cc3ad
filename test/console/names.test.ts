/** Names with characters that turn the direction of text. */
import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { createKeyring } from '../../src/cli/keys.ts';
import { BY_TEST } from '../support/cause.ts';
import { open, signIn, useConsole } from './console-page.ts';
import { button, dialog, row } from './places.ts';

const current = useConsole();

/** Right to left, also after the end of an isolate; and an isolate that does not end. */
const TURNED = '\u2069\u202EReversed\u2067';

/** The left edges of the characters of an element that are not in a name: they ascend in each line. */
const isInOrder = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const page = element.ownerDocument;
    const walker = page.createTreeWalker(element, 4 /* texts */);
    const edges: { left: number; top: number }[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.parentElement?.closest('bdi') ? '' : (node.nodeValue ?? '');
      for (let index = 0; index < text.length; index += 1) {
        const range = page.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        const { left, top, width } = range.getBoundingClientRect();
        if (width > 0) edges.push({ left, top: Math.round(top) });
      }
    }
    return (
      edges.length > 5 &&
      edges.every(({ left, top }, index) => {
        const previous = edges[index - 1];
        return previous?.top !== top || left > previous.left;
      })
    );
  });

test('do not disturb the text beside them', async () => {
  const { page, store, database } = current;
  await store.pets.create({ name: TURNED, categoryId: 1, status: 'available' });
  await store.categories.put(1, { name: TURNED });
  // Earlier versions accepted such a name of a key.
  const key = { name: TURNED, scopes: ['pets:read'], expiresAt: null } as const;
  await database.write(BY_TEST, ({ apiKeys }) => createKeyring('production').create(apiKeys, key));
  await store.orders.place({ petId: 1 });
  await signIn(current);
  await row(current, 0).waitFor();
  const inRow = page.locator('table.list tbody tr').last();
  expect(await isInOrder(inRow)).toBe(true);
  await inRow.getByRole('button').click();
  await button(dialog(current), 'Delete').click();
  expect(await isInOrder(dialog(current).getByRole('heading'))).toBe(true);
  await button(dialog(current), 'Keep it').click();
  await dialog(current).getByLabel('Name').press('End');
  await page.keyboard.type('!');
  await current.pressUntil('Save', 'was saved.');
  expect(await isInOrder(page.getByText('was saved.'))).toBe(true);
  await open(current, 'Orders');
  await row(current, 0).locator('bdi').waitFor();
  expect(await isInOrder(inRow)).toBe(true);
  await open(current, 'API keys');
  await row(current, 1).waitFor();
  expect(await isInOrder(inRow)).toBe(true);
  for (const action of ['Rotate', 'Revoke']) {
    await button(inRow, `${action}: ${TURNED}`).click();
    expect(await isInOrder(dialog(current).getByRole('heading'))).toBe(true);
    await current.leave();
  }
  await open(current, 'Categories');
  await row(current, 0).waitFor();
  await button(page, `Delete: ${TURNED}`).click();
  expect(await isInOrder(dialog(current).getByRole('heading'))).toBe(true);
});
