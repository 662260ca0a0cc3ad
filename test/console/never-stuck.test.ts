/** A browser that lacks a part, refuses it, or is wrong, and an API key that cannot follow the changes. */
import { expect, test } from 'bun:test';
import { installClock, issueKey, signIn, useConsole } from './console-page.ts';
import { button } from './places.ts';

const current = useConsole();

const LOOKS = 'This page looks for changes every 20 seconds.';

/** Signs in, and waits for the list. */
async function openList(key?: string): Promise<void> {
  await signIn(current, key);
  await current.page.getByText('No animals yet').waitFor();
}

/** A colleague adds an animal, which appears after some time. */
async function expectNews(ms: number): Promise<void> {
  const { page, store } = current;
  await store.pets.create({ name: 'Mia', categoryId: 1 });
  await page.clock.fastForward(ms);
  await button(page, 'Open Mia').waitFor();
}

const streams = () => current.requests.filter((request) => request.url().includes('/stream'));

const WITHOUT: Readonly<Record<string, string>> = {
  'has no locks': 'delete Navigator.prototype.locks',
  'refuses its locks':
    "LockManager.prototype.request = LockManager.prototype.query = () => Promise.reject(new DOMException('', 'SecurityError'))",
  'has no channel between tabs': 'delete window.BroadcastChannel',
};

for (const [what, script] of Object.entries(WITHOUT)) {
  test(`a browser that ${what} holds no stream, and says that it looks for changes now and then`, async () => {
    await current.page.addInitScript(script);
    await openList();
    await current.page.getByText(LOOKS).waitFor();
    expect(streams()).toEqual([]);
  });
}

test('an API key without events:read looks for changes now and then', async () => {
  await installClock(current);
  await openList(await issueKey(current, ['pets:read']));
  await current.page.getByText(LOOKS).waitFor();
  await expectNews(20_000);
  expect(streams()).toEqual([]);
});

test('a browser that says it is offline is not believed while the service can be reached', async () => {
  const { page } = await installClock(current);
  await page.addInitScript(
    "Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false })",
  );
  await openList();
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  const following = page.waitForRequest((request) => request.url().includes('/stream'));
  await page.clock.fastForward(10_000);
  await following;
  await expectNews(1000);
  await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
});

test('a browser that refuses its storage keeps the API key until the page is loaded again', async () => {
  const { page } = current;
  await page.addInitScript(
    "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError'); } })",
  );
  await page.goto('/#/animals');
  await openList();
  await button(page, 'Sign out').click();
  await button(page, 'Sign in').waitFor();
});
