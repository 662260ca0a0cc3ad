/** How the console gets to the browser. */
import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startService } from '../support/service.ts';
import { useShared } from '../support/use-each.ts';
import { addAnimals, signIn, useConsole } from './console-page.ts';
import { button } from './places.ts';

const PAGE = 'http://store.test/';

async function startWith(options: { readonly console?: boolean; readonly extensions?: boolean }) {
  const service = await startService({ options });
  const get = async (url: string, headers: Record<string, string> = {}) =>
    service.app.fetch(new Request(new URL(url, PAGE).href, { headers }));
  const filesOf = async () => {
    const html = await (await get('/')).text();
    return [...html.matchAll(/"\.(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
  };
  return { get, filesOf, close: service.close };
}

describe('the files of the console', () => {
  const shared = useShared(() => startWith({}));

  test('can be stored for ever because their names change with their content', async () => {
    const { get, filesOf } = shared;
    const paths = await filesOf();
    expect(paths.map((path) => path.replace(/^.*\./, '')).sort()).toEqual(['css', 'js', 'svg']);
    for (const path of paths) {
      const { status, headers } = await get(path);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(status).toBe(200);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    const page = await get('/');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect((await get('/console/none.js')).status).toBe(404);
  });

  test('are small: 135 kB of JavaScript and 8 kB of CSS, compressed', async () => {
    const { get, filesOf } = shared;
    for (const path of await filesOf()) {
      const most = path.endsWith('.js') ? 135_000 : 8_000;
      for (const [coding, decompress] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const response = await get(path, { 'Accept-Encoding': coding });
        const body = await response.arrayBuffer();
        expect(response.headers.get('content-encoding')).toBe(coding);
        expect(body.byteLength).toBeLessThan(most);
        expect(decompress(body).toString()).toBe(await (await get(path)).text());
      }
    }
  });

  test('name the licences of the packages in the script, which has the production version of React', async () => {
    const { get, filesOf } = shared;
    const [script = ''] = (await filesOf()).filter((path) => path.endsWith('.js'));
    const text = await (await get(script)).text();
    const [, name] = /^\/\*! Licences: (licences-\w+\.txt) \*\/\n/.exec(text) ?? [];
    const notice = await (await get(`/console/${name}`)).text();
    for (const name of ['react', 'react-dom', 'scheduler', '@tanstack/react-query'])
      expect(notice).toContain(name);
    expect(notice).toContain('Permission is hereby granted');
    expect(text).not.toContain('react.dev/link/invalid-hook-call');
  });
});

test('with CONSOLE=off there is no page, and with EXTENSIONS=off a sentence says why', async () => {
  const without = await startWith({ console: false });
  expect((await without.get('/')).status).toBe(404);
  await without.close();
  const { get, close } = await startWith({ extensions: false });
  const page = await get('/');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('the service runs with EXTENSIONS=off');
  await close();
});

describe('a page from another version of the service', () => {
  const current = useConsole();

  test('is loaded again once, and then works, or says what to do', async () => {
    const { page, context, requests, expected } = current;
    expected.push(/status of 404/);
    let missing = 1;
    await context.route('**/console/*.js', (route) =>
      missing-- > 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.goto('/');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(requests.filter((request) => request.isNavigationRequest())).toHaveLength(2);
    await context.route('**/console/*.css', (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await page.getByText('This page could not be loaded.').waitFor();
  });
});

describe('behind a proxy that serves it below another path', () => {
  const current = useConsole();

  test('the console works', async () => {
    const { service, context } = current;
    await addAnimals(current, 21);
    const proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ url, method, headers }) {
        const { pathname, search } = new URL(url);
        if (!pathname.startsWith('/shop/')) return new Response(null, { status: 404 });
        const target = service.origin + pathname.slice('/shop'.length) + search;
        return fetch(target, { method, headers, decompress: false });
      },
    });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${proxy.port}/shop/#/animals`);
    await signIn({ page, service });
    // Another service below another path has a key of its own.
    const kept = 'JSON.stringify(Object.keys(sessionStorage))';
    expect(await page.evaluate(kept)).toBe('["animal-store-key shop/"]');
    await button(page, 'Next page').click();
    await button(page, 'Open Animal 1').waitFor();
    await page.close();
    await proxy.stop(true);
  });
});
