/** How the reference gets to the browser. */
import { expect, test } from 'bun:test';
import { PAGES, usePages } from './reference-pages.ts';

const { get, page } = usePages();

test.each(PAGES)(
  '%s has a search, runs its own script only, has its own style only, and nothing that its policy blocks',
  async (path) => {
    const { headers } = await get(path);
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page(path)) ?? [];
    const hash = (text: string) =>
      `sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}`;
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src '${hash(style)}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(page(path)).not.toMatch(/<(?:link|img|iframe|base)\b|\s(?:style|on\w+)=/i);
    const scripts = [
      ...page(path).matchAll(/<script type="module" src="([^"]*)" integrity="([^"]*)"><\/script>/g),
    ];
    expect(page(path).match(/<script/g)).toHaveLength(1);
    expect(page(path).match(/<search/g)).toHaveLength(1);
    expect(page(path).match(/ aria-current="page"/g)).toHaveLength(1);
    const [[, source = '', integrity] = []] = scripts;
    const script = await get(new URL(source, `http://store.test${path}`).pathname);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(integrity).toBe(hash(await script.text()));
  },
);

test('the script is small: 4.75 kB, compressed', async () => {
  const [, source = ''] = /<script[^>]* src="([^"]*)"/.exec(page('/docs')) ?? [];
  const text = await (await get(`/${source}`)).text();
  expect(Bun.gzipSync(text).length).toBeLessThan(4_750);
});

test.each(PAGES)(
  '%s with a slash at the end redirects, also below another path of a proxy',
  async (path) => {
    const { status, headers } = await get(`${path}/`);
    const { pathname } = new URL(headers.get('location') ?? '', `http://store.test/shop${path}/`);
    expect([status, pathname]).toEqual([308, `/shop${path}`]);
    expect(headers.get('cache-control')).toBe('no-cache');
  },
);

test.each(['/docs/none', '/docs/openapi.json', '/docs//'])('%s is no page', async (path) => {
  expect((await get(path)).status).toBe(404);
});
