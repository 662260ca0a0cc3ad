/** Base URLs and origins appear in headers and in an HTML page, so that unsafe values are rejected. */
import { describe, expect, test } from 'bun:test';
import { baseUrl, origins } from '../../src/config/setting.ts';

/** No host may contain one of these. The URL parser of the runtime accepts some of them, and removes others. */
const BAD_CHARACTERS = [...'*"\'<>`{},;=&()!$~+| \\\t\n\r\0\u007f\u0080\u00ad\u200b'];

/** Invalid hosts and ports. */
const BAD_HOSTS = [
  ...BAD_CHARACTERS.map((character) => `x${character}y`),
  ...['*', '*.x', 'x%20y', 'x%2ey', 'bücher.example', 'ｓhop.example', 'shop。example'],
  ...['例え.example', 'xn--zz--.example', '.', '.shop.example', 'shop..example'],
  ...['user@shop.example', 'user:secret@shop.example', '@shop.example', ':@shop.example'],
  ...['', ':8080', 'shop.example:', 'shop.example:0x50', 'shop.example:65536'],
  ...['shop.example:80:80', '1.2.3.256', '1.2.3.4.5', '[::1', '::1', '[::1%eth0]', '[1.2.3.4]'],
  '[g::1]',
];

/** Invalid values before the path. */
const BAD_ADDRESSES = [
  ...[' https://shop.example', 'https://shop.example ', '\thttps://shop.example'],
  ...['https://shop.example\n', 'https:shop.example', 'https:/shop.example'],
  ...['https:///shop.example', 'https:\\\\shop.example', 'ht\ntps://shop.example'],
  ...['//shop.example', 'ftp://shop.example', 'ws://shop.example', 'javascript://shop.example'],
  ...['data:text/html,x', 'file:///shop'],
];

const BAD_PATHS = [
  ...['/a"b/v1', "/a'b/v1", '/a<b>/v1', '/a b/v1', '/a\tb/v1', '/a\nb/v1', '/a\\b/v1'],
  ...['/ä/v1', '/a,b/v1', '/a;b/v1', '/a%/v1', '/a%2/v1', '/a%0d%0ab/v1', '/a%22b/v1'],
  ...['/../v1', '/./v1', '/%2e%2e/v1', '//v1', '/v1/', '/v2', '/av1', '/v1?', '/v1#'],
  ...['/v1?a=b', '/v1#top', '', '/'],
];

describe('a base URL', () => {
  test.each([
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['https://store.test/v1', 'https://store.test/v1'],
    ['HTTPS://Store.Test:443/v1', 'https://store.test/v1'],
    ['http://[2001:DB8::1]:8080/v1', 'http://[2001:db8::1]:8080/v1'],
    ['http://animal_store:8080/v1', 'http://animal_store:8080/v1'],
    ['https://xn--bcher-kva.example/v1', 'https://xn--bcher-kva.example/v1'],
    [
      'https://store.test/shops/berlin-1/a.b_c~d/v1',
      'https://store.test/shops/berlin-1/a.b_c~d/v1',
    ],
  ])('accepts %s', (text, url) => {
    expect(baseUrl.parse(text)).toBe(url);
  });

  test.each(BAD_HOSTS)('rejects the host %j', (host) => {
    for (const scheme of ['http', 'https'])
      expect(baseUrl.parse(`${scheme}://${host}/v1`)).toBeUndefined();
  });

  test.each(BAD_PATHS)('rejects the path %j', (path) => {
    expect(baseUrl.parse(`https://store.test${path}`)).toBeUndefined();
  });

  test.each(BAD_ADDRESSES)('rejects %j before /v1', (address) => {
    expect(baseUrl.parse(`${address}/v1`)).toBeUndefined();
  });
});

describe('a list of origins', () => {
  test.each([
    ['https://shop.example', ['https://shop.example']],
    ['http://localhost:5173', ['http://localhost:5173']],
    ['https://shop.example , http://[::1]:80801', undefined],
    ['https://shop.example , http://[::1]:8081', ['https://shop.example', 'http://[::1]:8081']],
    ['https://xn--bcher-kva.example', ['https://xn--bcher-kva.example']],
    ['https://shop_1.example', ['https://shop_1.example']],
  ])('accepts or rejects %s', (text, list) => {
    expect(origins.parse(text)).toEqual(list);
  });

  test.each([
    ...BAD_ADDRESSES.map((address) => address.trim()).filter(
      (address) => address !== 'https://shop.example',
    ),
    ...['null', '*', '', ',', 'https://shop.example,', 'https://shop.example,https://*.x'],
    'https://shop.example https://desk.example',
    'https://shop.example;https://desk.example',
    // Browsers do not send these forms.
    ...['https://SHOP.example', 'https://shop.example:443', 'http://shop.example:80'],
    ...['http://shop.example:080', 'https://shop.example/', 'https://shop.example/v1'],
    ...['https://shop.example?', 'https://shop.example#', 'http://[2001:DB8::1]'],
    ...['http://[::0001]', 'http://127.1'],
  ])('rejects %j', (text) => {
    expect(origins.parse(text)).toBeUndefined();
  });

  test.each(BAD_HOSTS)('rejects the host %j', (host) => {
    for (const scheme of ['http', 'https'])
      expect(origins.parse(`${scheme}://${host}`)).toBeUndefined();
  });
});
