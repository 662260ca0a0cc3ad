/** A colleague's change appears by itself, in all tabs, without moving the row that is being read. 30 s: the page waits for seconds. */
import { expect, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import type { Scope } from '../../sdk/src/index.ts';
import {
  addAnimals,
  failed,
  installClock,
  issueKey,
  openRex,
  signIn,
  signInTo,
  useConsole,
} from './console-page.ts';
import { button, dialog, eventually, row } from './places.ts';

const current = useConsole();

/** The addresses that contain a text. */
const urlsWith = (text: string): string[] =>
  current.requests.map((request) => request.url()).filter((url) => url.includes(text));

const streams = () => urlsWith('/events/stream');

/** Waits until the page follows the changes. */
const followed = (page: Page = current.page) =>
  page.waitForRequest((request) => request.url().includes('/events/stream'));

async function signInAndFollow(): Promise<void> {
  const following = followed();
  await signIn(current);
  await following;
}

test('the changes of a colleague appear in a list without moving the row that is being read, in a dialog, also after the tab was hidden, and in all tabs, also after one is closed', async () => {
  const { page, context, store, service, errors, requests } = current;
  await page.setViewportSize({ width: 1280, height: 600 });
  await addAnimals(current, 20, 'Rex');
  await signInAndFollow();
  const read = button(page, 'Open Rex 12');
  await read.hover();
  const before = await read.boundingBox();
  for (const name of ['Mia', 'Ida']) await store.pets.create({ name, categoryId: 1 });
  await button(page, 'Open Ida').waitFor();
  await button(page, 'Open Mia').waitFor();
  expect(await row(current, 0).count()).toBe(1);
  expect((await read.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
  await button(page, 'Open Rex 20').click();
  await dialog(current).getByRole('radio', { name: 'Available', checked: true }).waitFor();
  await store.pets.update(20, { name: 'Max', status: 'sold', categoryId: 7 });
  await dialog(current).getByRole('heading', { name: 'Max' }).waitFor();
  await dialog(current).getByText('Sold').first().waitFor();
  await current.leave();
  await store.pets.delete(21);
  await button(page, 'Open Mia').waitFor({ state: 'detached' });
  expect(streams()).toHaveLength(1);
  expect(urlsWith(service.key)).toEqual([]);
  // A change while the first lists are loaded is not missed.
  const order = urlsWith('/v1/').map((url) => url.split(/[/?]/)[4]);
  expect(order.slice(0, 2)).toEqual(['api-keys', 'events']);
  expect(urlsWith('/v1/events?sort=-id&limit=1')).toHaveLength(1);
  await openRex(current, 'Max');
  const hide = (state: 'hidden' | 'visible') =>
    page.evaluate(`(() => {
        for (const [name, value] of [['hidden', ${state === 'hidden'}], ['visibilityState', '${state}']])
          Object.defineProperty(document, name, { configurable: true, value });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      })()`);
  // The dialog is being loaded again meanwhile.
  const [loading, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const delay = async (route: Route) => {
    const response = await route.fetch();
    loading.resolve();
    await loaded.promise;
    await route.fulfill({ response });
  };
  await page.route('**/v1/pets?id=20&limit=1', delay, { times: 1 });
  await page.evaluate(`for (const type of ['offline', 'online']) dispatchEvent(new Event(type))`);
  await loading.promise;
  await hide('hidden');
  const known = urlsWith('/v1/pets?');
  await store.pets.update(20, { name: 'Moritz' });
  await Bun.sleep(1000);
  expect(urlsWith('/v1/pets?')).toEqual(known);
  loaded.resolve();
  await Bun.sleep(300);
  await hide('visible');
  await dialog(current).getByRole('heading', { name: 'Moritz' }).waitFor();
  const opened = streams().length;
  const second = await context.newPage();
  second.on('request', (request) => requests.push(request));
  second.on('pageerror', (error) => errors.push(String(error)));
  // What this tab asks for is not needed, and may fail.
  await second.route('**/v1/events?*', (route) => route.fulfill({ status: 403, body: '{}' }));
  await second.goto('/#/animals');
  await button(second, 'Open Moritz').waitFor();
  await store.pets.update(20, { name: 'Roy' });
  for (const tab of [page, second]) await tab.getByText('Roy').first().waitFor();
  expect(streams()).toHaveLength(opened);
  const next = followed(second);
  await page.close();
  expect((await next).url()).toContain('?after=');
  await store.pets.update(20, { name: 'Moni' });
  await button(second, 'Open Moni').waitFor();
});

test('a tab that goes on before it was told what has changed misses none', async () => {
  const { page, context, store, expected } = current;
  expected.push(failed(410));
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  const { promise: isExpired, resolve: expire } = Promise.withResolvers<void>();
  const refuse = async (route: Route) => {
    await isExpired;
    const json = { code: 'events_expired', message: 'They are gone.', status: 410 };
    await route.fulfill({ status: json.status, json });
  };
  await page.route('**/v1/events/stream*', refuse, { times: 1 });
  // The first tab does not come to tell the changes that it gathers.
  await page.addInitScript(`{
    const after = setTimeout;
    setTimeout = (act, ms, ...rest) => ms === 50 ? 0 : after(act, ms, ...rest);
  }`);
  await signInTo(current, 'Open Rex');
  const second = await context.newPage();
  await second.goto('/#/animals');
  await button(second, 'Open Rex').waitFor();
  await store.pets.create({ name: 'Mia', categoryId: 1 });
  const following = followed();
  expire();
  await following;
  // A third tab is opened.
  const message = JSON.stringify({ type: 'opened' });
  await second.evaluate(`new BroadcastChannel('animal-store /').postMessage(${message})`);
  await page.close();
  await button(second, 'Open Mia').waitFor({ timeout: 5000 });
});

/** Returns a function that waits until the page receives the next event. Called before the page opens the stream. */
async function watchStream(): Promise<() => Promise<void>> {
  const session = await current.context.newCDPSession(current.page);
  await session.send('Network.enable');
  let stream: string;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.includes('/events/stream')) stream = requestId;
  });
  return () =>
    new Promise((resolve) =>
      session.on('Network.dataReceived', ({ requestId }) => {
        if (requestId === stream) resolve();
      }),
    );
}

test('a change is loaded within two seconds of the clock of the page, which does not ask for it in between', async () => {
  const { page, store } = await installClock(current);
  const received = await watchStream();
  await signInAndFollow();
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  await button(page, 'Open Rex').waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  const lists = () => urlsWith('/v1/pets?').length;
  const before = lists();
  await page.clock.runFor(10_000);
  expect(lists()).toBe(before);
  for (const name of ['Mia', 'Max']) {
    const receiving = received();
    const known = lists();
    await store.pets.create({ name, categoryId: 1 });
    await receiving;
    let ms = 0;
    for (; lists() === known; ms += 100) await page.clock.runFor(100).then(() => Bun.sleep(50));
    expect(ms).toBeLessThanOrEqual(2000);
  }
  await page.clock.resume();
  for (const name of ['Mia', 'Max']) await button(page, `Open ${name}`).waitFor();
});

test('a list that loads slowly is shown although the colleagues go on', async () => {
  const { page, context, store, service } = current;
  const [isLoading, isReplaced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  await context.route('**/v1/pets?*', async (route) => {
    const response = await route.fetch();
    await Bun.sleep(1500);
    if (isHeld) await Promise.all([isLoading.resolve(), isReplaced.promise]);
    await route.fulfill({ response }).catch(() => {});
  });
  await signInAndFollow();
  await page.getByText('No animals yet').waitFor();
  const isShown = async () => (await button(page, 'Open Rex 0').count()) === 1;
  for (let index = 0; index < 30 && !(await isShown()); index += 1) {
    await store.pets.create({ name: `Rex ${index}`, categoryId: 1 });
    await Bun.sleep(300);
  }
  expect(await isShown()).toBe(true);
  // Another tab replaces the API key during a load: the list is loaded once more, and again after the newest event is read.
  isHeld = true;
  await store.pets.create({ name: 'Mia', categoryId: 1 });
  await isLoading.promise;
  const loaded = urlsWith('/v1/pets?').length;
  const message = JSON.stringify({ type: 'session', secret: service.key, before: '1' });
  await page.evaluate(`new BroadcastChannel('animal-store /').postMessage(${message})`);
  await eventually(async () => expect(urlsWith('/v1/pets?')).toHaveLength(loaded + 2));
  isReplaced.resolve();
  await button(page, 'Open Mia').waitFor();
  await Bun.sleep(1500);
  expect(urlsWith('/v1/pets?')).toHaveLength(loaded + 2);
});

test('a notice says in each tab that the connection is lost, changes appear late, and when it is back, also by a tab that goes on for a closed one', async () => {
  const { page, context, store, expected } = await installClock(current);
  expected.push(failed(503), /ERR_/);
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  const lose = () =>
    page.route('**/v1/events/stream*', (route) => route.fulfill({ status: 503, body: '{}' }));
  await lose();
  await signInTo(current, 'Open Rex');
  const notice = page.getByText('The connection is lost.');
  const isSaid = () =>
    eventually(async () => {
      await page.clock.fastForward(3000);
      await notice.waitFor({ timeout: 500 });
    });
  await isSaid();
  expect(await button(page, 'Stop waiting').count()).toBe(0);
  // A tab that is opened now says so, too.
  const second = await context.newPage();
  await second.goto('/#/animals');
  const other = second.getByText('The connection is lost.');
  await other.waitFor();
  await store.pets.update(1, { name: 'Ida' });
  await page.clock.fastForward(20_000);
  await button(page, 'Open Ida').waitFor();
  await store.pets.update(1, { name: 'Max' });
  await page.unroute('**/v1/events/stream*');
  await eventually(async () => {
    await page.clock.fastForward(9000);
    await button(page, 'Open Max').waitFor({ timeout: 500 });
  });
  await notice.waitFor({ state: 'detached' });
  await other.waitFor({ state: 'detached' });
  // The next tab has a stream, although that of this one is lost again.
  await lose();
  await page.evaluate(`for (const type of ['offline', 'online']) dispatchEvent(new Event(type))`);
  await isSaid();
  await other.waitFor();
  await page.close();
  await other.waitFor({ state: 'detached' });
});

test('a change is not missed while the page cannot find the beginning of the stream', async () => {
  const { page, store, expected } = await installClock(current);
  expected.push(failed(503));
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  let attempts = 0;
  await page.route('**/v1/events?*', (route) => {
    attempts += 1;
    return attempts > 2 ? route.fallback() : route.fulfill({ status: 503, body: '{}' });
  });
  await signInTo(current, 'Open Rex');
  await eventually(async () => expect(attempts).toBe(2));
  const following = followed();
  await store.pets.create({ name: 'Mia', categoryId: 1 });
  await page.clock.fastForward(11_000);
  await following;
  await button(page, 'Open Mia').waitFor();
});

/** Adds Rex before the service gets the next request to an address, and after the first list. */
const overtake = (url: string) =>
  current.page.route(
    url,
    async (route) => {
      await current.page.getByText('No animals yet').waitFor();
      await current.store.pets.create({ name: 'Rex', categoryId: 1 });
      await route.continue();
    },
    { times: 1 },
  );

test.each<[string, string, Scope[] | undefined]>([
  ['the newest event is read', '**/v1/events?*', undefined],
  [
    'the stream of a key that sees no event begins',
    '**/v1/events/stream*',
    ['pets:read', 'events:read'],
  ],
])('a change between the first list and when %s is not missed', async (_when, url, scopes) => {
  await overtake(url);
  await signIn(current, scopes && (await issueKey(current, scopes)));
  await button(current.page, 'Open Rex').waitFor();
});

test('a change while the first list is on its way is not missed', async () => {
  const { page, store } = current;
  const following = followed();
  const delay = async (route: Route) => {
    const response = await route.fetch();
    // Until the counts are shown, a change does not load them again.
    await Promise.all([following, page.locator('.number').first().waitFor()]);
    // If all is loaded again already, the change waits for the list.
    const reloading = page.waitForRequest('**/v1/store/inventory').catch(() => {});
    await store.pets.create({ name: 'Rex', categoryId: 1 });
    await Promise.race([reloading, Bun.sleep(2000)]);
    await route.fulfill({ response });
  };
  await page.route('**/v1/pets?*', delay, { times: 1 });
  await signInTo(current, 'Open Rex');
});

test('a page that begins offline follows as soon as it is online', async () => {
  const { page, context, expected } = current;
  expected.push(/ERR_INTERNET_DISCONNECTED/);
  const goOffline = async (route: Route) => {
    const response = await route.fetch();
    await context.setOffline(true);
    await route.fulfill({ response });
  };
  await page.route('**/v1/api-keys/current', goOffline, { times: 1 });
  await signIn(current);
  // An attempt and another one.
  await eventually(async () => expect(urlsWith('/v1/events?').length).toBeGreaterThan(1));
  const following = followed();
  await context.setOffline(false);
  await Promise.race([following, Bun.sleep(9000).then(() => expect().fail('It waits.'))]);
});

test('a tab that could not follow goes on looking although another tab follows', async () => {
  const { page, context, store, expected } = current;
  expected.push(failed(404));
  const refuse = (route: Route) => route.fulfill({ status: 404, body: '{}' });
  await page.route('**/v1/events/stream*', refuse, { times: 1 });
  await signIn(current);
  const notice = page.getByText('every 20 seconds');
  await notice.waitFor();
  const second = await context.newPage();
  const following = followed(second);
  await second.goto('/#/animals');
  await following;
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  await button(second, 'Open Rex').waitFor();
  expect(await notice.count()).toBe(1);
});

test('a stream that ends and is opened again at once is no lost connection', async () => {
  const { page } = current;
  const ended = { contentType: 'text/event-stream', body: 'retry: 2000\n\n' };
  await page.route('**/v1/events/stream*', (route) => route.fulfill(ended), { times: 1 });
  await signIn(current);
  await page.evaluate(`new MutationObserver(() => {
    window.wasLost ||= document.body.textContent.includes('The connection is lost.');
  }).observe(document.body, { childList: true, subtree: true })`);
  await eventually(async () => expect(streams()).toHaveLength(2));
  await button(page, 'Add an animal').click();
  await dialog(current).waitFor();
  expect(await page.evaluate('window.wasLost')).toBeFalsy();
});

test('the stream goes on at once when the browser is online again', async () => {
  const { page, context, expected } = await installClock(current);
  expected.push(/ERR_INTERNET_DISCONNECTED/);
  await signInAndFollow();
  await page.clock.pauseAt(Date.now() + 60_000);
  const notice = page.getByText('The connection is lost.');
  // Attempts fail in a minute, and the delay before the next one grows to some seconds.
  for (const restMs of [0, 60_000]) {
    await context.setOffline(true);
    await eventually(async () => {
      await page.clock.runFor(2000);
      await notice.waitFor({ timeout: 500 });
    });
    await page.clock.runFor(restMs);
    await context.setOffline(false);
    const isShown = () => notice.waitFor({ state: 'detached', timeout: 300 }).catch(() => true);
    // Half a second for an attempt that is faster than the network.
    for (let run = 0; run < 5 && (await isShown()); run += 1) await page.clock.runFor(100);
    await notice.waitFor({ state: 'detached' });
  }
});
