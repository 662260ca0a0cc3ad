import { afterAll, afterEach, beforeEach, expect } from 'bun:test';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { AnimalStore, type Scope } from '../../sdk/src/index.ts';
import type { Database } from '../../src/storage/database.ts';
import { sharedChromium } from '../support/chromium.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { standIn } from '../support/use-each.ts';
import { actionsOf, button, dialog } from './places.ts';

/** A new service for each test, with its console open in a real browser. */
export interface Console extends ReturnType<typeof actionsOf> {
  readonly service: SocketService;
  readonly database: Database;
  /** The colleague of the user: changes the catalogue without the page. */
  readonly store: AnimalStore;
  readonly context: BrowserContext;
  readonly page: Page;
  /** The address that `signIn` opens. */
  readonly start: string;
  /** The requests of the page. */
  readonly requests: Request[];
  /** Errors of the console of the browser, and breaches of the Content-Security-Policy. */
  readonly errors: string[];
  /** Messages of the browser that this test provokes. */
  readonly expected: RegExp[];
  /** Opens a page whose clock can be replaced, instead of the page. */
  replaceClock(): Promise<void>;
}

/** A failing step is reported after so long. */
const TIMEOUT_MS = 20_000;

interface Options {
  readonly flags?: Record<string, string>;
  readonly context?: Parameters<Browser['newContext']>[0];
  /** The address that is opened: the list of animals, unless a test is about another screen. */
  readonly start?: string;
  /** Opens the page before each test, without a key. Otherwise `signIn` opens the page. */
  readonly isOpen?: boolean;
}

/** What the next test uses again: a new context has neither the files of the console nor its compiled script. */
interface Kept {
  /** One with the clock of the machine, and one whose clock `installClock` has replaced: it remains so. */
  contexts: { -readonly [clock in Clock]?: BrowserContext };
  /** The port of each service: the browser keeps the files of one origin. */
  port: string;
}

type Clock = 'own' | 'replaced';

/** Of all tests in this process without options of a context. */
const plain: Kept = { contexts: {}, port: '0' };

/** Opens a console before each test of a file, in a browser that they share, and checks after each that the page did nothing it must not do. */
export function useConsole({
  flags = {},
  context: contextOptions,
  start = '/#/animals',
  isOpen = false,
}: Options = {}): Console {
  let current: Console;
  const kept: Kept = contextOptions === undefined ? plain : { contexts: {}, port: '0' };
  const closeAll = () =>
    Promise.all(Object.values(kept.contexts).map((context) => context.close()));

  const openPage = async (clock: Clock, service: SocketService) => {
    kept.contexts[clock] ??= await openContext({ baseURL: service.origin, ...contextOptions });
    const context = kept.contexts[clock];
    const page = await context.newPage();
    return { ...actionsOf(page), context, page };
  };

  beforeEach(async () => {
    let database!: Database;
    const listenAt = (address: string) =>
      // The browser may keep the connection of a stream that has ended. The runtime waits 10 s for the browser to close it.
      listen({ shutdownTimeout: '1s', ...flags, port: address }, (opened) => {
        database = opened;
        return opened;
      });
    // Another process may have taken the port since the last test.
    const service = await listenAt(kept.port).catch(async (error) => {
      if (kept.port === '0') throw error;
      await closeAll();
      kept.contexts = {};
      return listenAt('0');
    });
    kept.port = new URL(service.origin).port;
    if (kept.contexts.own?.browser()?.isConnected() === false) kept.contexts = {};
    const store = new AnimalStore({ apiKey: service.key, baseUrl: `${service.origin}/v1` });
    const lists = { requests: [], errors: [], expected: [] };
    const replaceClock = async () => {
      await current.page.close();
      Object.assign(current, await openPage('replaced', service));
      observe(current);
    };
    const page = await openPage('own', service);
    current = { ...page, service, database, store, start, ...lists, replaceClock };
    observe(current);
    if (isOpen) await current.page.goto(start);
  });

  afterEach(async () => {
    const { service, context, requests, errors, expected } = current;
    const [, ...pages] = context.pages();
    await Promise.all(pages.map((page) => page.close()));
    // A route that is still at work must not fail during the next test.
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    // What options permit, each test of the context may do.
    if (kept === plain) await context.clearPermissions();
    await service.close();
    const unexpected = errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
    expect(unexpected).toEqual([]);
    const urlsOf = (some: readonly Request[]) =>
      some.map((request) => `${request.method()} ${request.url()}`);
    const urls = urlsOf(requests);
    expect(urls.filter((url) => !url.includes(` ${service.origin}/`))).toEqual([]);
    expect(urls.filter((url) => /^GET .*\/pets\/[^/]+$/.test(url))).toEqual([]);
    // The service may require it.
    const untagged = requests.filter(
      (request) => !/if-(none-)?match/.test(Object.keys(request.headers()).join()),
    );
    expect(
      urlsOf(untagged).filter((url) => /^(PUT|PATCH|DELETE) (?!.*api-keys)/.test(url)),
    ).toEqual([]);
  });

  afterAll(() => (kept === plain ? undefined : closeAll()));

  return standIn(() => current);
}

async function openContext(options: Options['context']): Promise<BrowserContext> {
  const browser = await sharedChromium();
  // Days begin when those of the tests do.
  const given = { reducedMotion: 'reduce', timezoneId: 'UTC', ...options } as const;
  const context = await browser.newContext(given);
  context.setDefaultTimeout(TIMEOUT_MS);
  // An empty page keeps the process in which the pages of the tests run.
  await context.newPage();
  return context;
}

/** Replaces the clock of the page, which `page.clock` sets from now on. The page is another one. */
export async function installClock(current: Console, time = Date.now()): Promise<Console> {
  await current.replaceClock();
  const { clock } = current.page;
  await clock.install({ time });
  // The test before may have left it paused.
  await clock.resume();
  return current;
}

function observe({ page, requests, errors }: Console): void {
  page.on('request', (request) => requests.push(request));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
}

/** Chromium reports each response of an error. */
export const failed = (status: number): RegExp => new RegExp(`status of ${status} `);

/** Signs in by the form if the page shows one. Otherwise opens the page with a key that the tab has kept. */
export async function signIn(
  { page, service, start }: Pick<Console, 'page' | 'service'> & Partial<Console>,
  key = service.key,
): Promise<void> {
  if (page.url() === 'about:blank' && start !== undefined) {
    await page.addInitScript(keepOnce(key));
    await page.goto(start);
  } else {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  await button(page, 'Sign out').waitFor();
}

/** Runs before each page of the tab. The name of the tab says that the key was kept before. */
const keepOnce = (key: string): string => `if (name === '') {
  name = 'has had a key';
  sessionStorage.setItem('animal-store-key', '${key}');
}`;

export async function issueKey({ store }: Console, scopes: Scope[]): Promise<string> {
  return (await store.apiKeys.create({ name: 'staff', scopes })).key;
}

/** Goes to a screen by the navigation. */
export async function open({ page }: Console, screen: string): Promise<void> {
  await page.getByRole('link', { name: screen, exact: true }).click();
  await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
  await page.locator('.nav [aria-current=page]', { hasText: screen }).waitFor();
}

const ADDRESSES: Readonly<Record<string, string>> = {
  Orders: '/#/orders',
  Categories: '/#/categories',
  'API keys': '/#/keys',
  Usage: '/#/usage',
  Webhooks: '/#/webhooks',
};

/** Signs in at a screen, and perhaps presses a button of it. */
export async function enter(current: Console, screen: string, name?: string): Promise<void> {
  await signIn({ ...current, start: ADDRESSES[screen] ?? '/' });
  await current.page.getByRole('heading', { name: screen, level: 1 }).waitFor();
  if (name !== undefined) await button(current.page, name).click();
}

/** Signs in, and waits for a button of the first screen. */
export async function signInTo(current: Console, name: string): Promise<void> {
  await signIn(current);
  await button(current.page, name).waitFor();
}

/** Signs in, presses a button of the first screen, and fills fields of the dialog that opens. */
export async function enterAt(current: Console, name: string, texts = {}): Promise<void> {
  await signIn(current);
  await current.openAndFill(name, texts);
}

/** The next request of the page to a path is overtaken by a colleague, of whose change the page cannot know yet. */
export const overtakeNext = (
  { page }: Console,
  path: string,
  change: () => Promise<unknown>,
): Promise<unknown> =>
  page.route(
    `**/v1${path}`,
    async (route) => {
      await change();
      await route.continue();
    },
    { times: 1 },
  );

type Address = Parameters<BrowserContext['route']>[0];

/** Holds requests of the page, but the first ones, until the returned function is called. Best before the page is open: one that is sent as interception begins passes. */
export async function holdRequests({ context }: Console, url: Address, first = 0) {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  let sent = 0;
  await context.route(url, async (route) => {
    sent += 1;
    if (sent > first) await isReleased;
    await route.continue().catch(() => {});
  });
  return release;
}

/** Reserves the animal of the open dialog for nobody in particular. */
export async function reserve(current: Console): Promise<void> {
  await button(dialog(current), 'Reserve').click();
  await dialog(current).getByLabel('Reference').waitFor();
  await button(dialog(current), 'Reserve').click();
}

/** An animal that is reserved for nobody in particular. */
export async function reserveRex({ store }: Console): Promise<void> {
  await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.orders.place({ petId: 1 });
}

export const addRex = ({ store }: Console, status: 'available' | 'sold' = 'available') =>
  store.pets.create({ name: 'Rex', categoryId: 1, status });

/** Adds `Animal 1`, `Animal 2` and so on by one request. */
export const addAnimals = ({ store }: Console, count: number, name = 'Animal') =>
  store.pets.createMany(
    Array.from({ length: count }, (_, at) => ({
      name: `${name} ${at + 1}`,
      categoryId: 1,
      status: 'available' as const,
    })),
  );

export async function openRex(current: Console, name = 'Rex'): Promise<void> {
  await button(current.page, `Open ${name}`).click();
  await dialog(current).getByLabel('Name').waitFor();
}

/** Adds an animal, signs in, and opens it. */
export async function openNewRex(current: Console, key?: string): Promise<void> {
  await addRex(current);
  await signIn(current, key);
  await openRex(current);
}
