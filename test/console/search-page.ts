import type { Locator } from 'playwright-core';
import { type Console, signIn } from './console-page.ts';
import { button, row } from './places.ts';

/** The search box of a screen. */
export const box = ({ page }: Console): Locator => page.getByRole('searchbox', { name: 'Search' });

/** What the page has searched for. Its counts are another request. */
export const searched = ({ requests }: Console): (string | null)[] =>
  requests
    .map((request) => new URL(request.url()))
    .filter((url) => url.searchParams.has('name') && !url.pathname.endsWith('/inventory'))
    .map((url) => url.searchParams.get('name'));

/** Signs in to a store with animals of these names. */
export async function signInWith(current: Console, ...names: string[]): Promise<void> {
  for (const name of names) await current.store.pets.create({ name, categoryId: 1 });
  await signIn(current);
  await row(current, names.length - 1).waitFor();
}

/** Waits until the list has these animals and no others. */
export async function expectShown(current: Console, ...names: string[]): Promise<void> {
  await row(current, names.length).waitFor({ state: 'detached' });
  for (const name of names) await button(current.page, `Open ${name}`).waitFor();
}
