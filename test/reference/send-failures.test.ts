/** Requests of the reference that fail. */
import { describe, expect, test } from 'bun:test';
import {
  countOf,
  formOf,
  giveKey,
  keyForm,
  offerKey,
  send,
  shown,
  useReference,
} from './reference-browser.ts';

describe('without a limit', () => {
  const reference = useReference({ isShared: true, operations: '#createPet, #listPets' });

  test('an error is shown with its code, which leads to what it means, and its body', async () => {
    const { page } = reference;
    await giveKey(reference);
    const form = formOf(reference, 'createPet');
    await form.getByLabel('Body').fill('{"name":');
    await send(form, '400 Bad Request');
    expect(await form.locator('.outcome.bad').count()).toBe(1);
    expect(JSON.parse(await shown(form, 'Response body'))).toMatchObject({ code: 'invalid_json' });
    await form.getByRole('link', { name: 'invalid_json' }).click();
    await page.waitForURL('**/docs#error-invalid_json');
    reference.expected.push(/400/);
  });

  test('an error of a proxy is shown as it came, without a code, and a list changes nothing', async () => {
    const { page, expected } = reference;
    await giveKey(reference);
    const form = formOf(reference, 'listPets');
    for (const [status, contentType, body] of [
      [502, 'text/html', '<h1>Bad gateway</h1>'],
      [504, 'application/json', '{"error":"Gateway timeout"}'],
    ] as const) {
      await page.route('**/v1/pets', (route) => route.fulfill({ status, contentType, body }));
      await send(form, new RegExp(`^${status} [a-z ]+ after \\d+ ms\\. $`, 'i'));
      const text = await shown(form, 'Response body');
      expect(text.replaceAll(/\n */g, '').replace('": ', '":')).toBe(body);
      expect(await form.locator('.outcome a').count()).toBe(0);
      await page.unroute('**/v1/pets');
    }
    expected.push(/502|504/);
  });

  test('a creation that failed keeps its key, and the page says whether it may have been executed', async () => {
    const { page, expected } = reference;
    await giveKey(reference);
    const form = formOf(reference, 'createPet');
    const key = () => form.locator('[name="header.Idempotency-Key"]').inputValue();
    const first = await key();
    for (const [status, body, said] of [
      [504, '<h1>Gateway timeout</h1>', 'The service may have executed the request.'],
      [503, '{"code":"deadline_exceeded","message":"Too late","status":503}', 'may have executed'],
      [503, '{"code":"webhooks_unavailable","message":"Never","status":503}', /Never$/],
    ] as const) {
      await page.route('**/v1/pets', (route) => route.fulfill({ status, body }));
      await send(form, said);
      expect(await key()).toBe(first);
      await page.unroute('**/v1/pets');
    }
    await send(form, '201 Created');
    expect(await key()).not.toBe(first);
    expected.push(/50[34]/);
  });

  test('a refused key does not replace the one in use, and the page says which one that is', async () => {
    await giveKey(reference);
    await offerKey(reference, 'ask_live_wrong');
    await keyForm(reference).getByText('The page still uses “test”.').waitFor();
    await send(formOf(reference, 'listPets'), '200 OK');
    reference.expected.push(/401/);
  });

  test('of two keys, the one that was given last is used, whichever is checked first', async () => {
    const { page, service, store } = reference;
    const { key: secret } = await store.apiKeys.create({ name: 'other', scopes: ['orders:read'] });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/api-keys/current', async (route) => {
      if (route.request().headers()['authorization']?.endsWith(secret)) return route.continue();
      await held;
      return route.continue();
    });
    await offerKey(reference, service.key);
    await offerKey(reference, secret);
    await keyForm(reference).getByText('has the scopes orders:read.').waitFor();
    const late = page.waitForResponse('**/v1/api-keys/current');
    release();
    await late;
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    expect(await formOf(reference, 'createPet').locator('.may').textContent()).toBe(
      'Your key lacks pets:write.',
    );
  });

  test('a request without a response is sent once, and its repetition creates nothing twice', async () => {
    const { page, store } = reference;
    await giveKey(reference);
    const before = await Array.fromAsync(store.pets.list());
    const form = formOf(reference, 'createPet');
    const key = () => form.locator('[name="header.Idempotency-Key"]').inputValue();
    let lost = 0;
    await page.route('**/v1/pets', async (route) => {
      lost += 1;
      // The service executes the request, and the response is lost.
      await route.fetch();
      await route.abort();
    });
    const first = await key();
    await send(form, 'The service may have executed the request.');
    expect([lost, await key()]).toEqual([1, first]);
    await page.unroute('**/v1/pets');
    await send(form, '201 Created');
    expect(await shown(form, 'Response headers')).toContain('idempotency-replayed: true');
    expect(await key()).not.toBe(first);
    expect(await Array.fromAsync(store.pets.list())).toHaveLength(before.length + 1);
    reference.expected.push(/ERR_FAILED/);
  });

  test('a request in flight can be cancelled, and is not sent twice before', async () => {
    const { page } = reference;
    await giveKey(reference);
    const form = formOf(reference, 'listPets');
    let requests = 0;
    await page.route('**/v1/pets', () => {
      requests += 1;
    });
    expect(await form.getByRole('button', { name: 'Cancel' }).isHidden()).toBe(true);
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('Waiting for the response…').waitFor();
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.locator('.outcome', { hasText: /^Cancelled\.$/ }).waitFor();
    expect(requests).toBe(1);
    await page.unroute('**/v1/pets');
    await send(form, '200 OK');
  });

  test('a header that cannot be sent is said, and nothing is sent', async () => {
    await giveKey(reference);
    const form = formOf(reference, 'createPet');
    await form.getByText('Headers', { exact: true }).click();
    await form.getByLabel('Idempotency-Key').fill('„тег“');
    await send(form, 'Headers');
    expect(await form.locator('.outcome').textContent()).not.toContain('executed');
    expect(countOf(reference, '/v1/pets')).toBe(0);
  });
});

describe('with another BASE_URL and EXTENSIONS=off, in a browser that refuses its storage', () => {
  const reference = useReference({
    flags: { baseUrl: 'https://store.example/v1', extensions: 'off' },
    start: 'about:blank',
  });

  test('requests go to the address of the page, without a key of their own and scopes', async () => {
    const { page, service } = reference;
    await page.addInitScript(
      "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError'); } })",
    );
    await page.goto('/docs');
    await offerKey(reference, service.key);
    await keyForm(reference).getByText('The service accepts this key.').waitFor();
    const form = formOf(reference, 'createPet');
    await send(form, '201 Created');
    expect(await shown(form, 'Request as sent')).not.toContain('idempotency-key');
    expect(await form.locator('.may').isHidden()).toBe(true);
    expect(await page.locator('#start').locator('..').textContent()).toContain(
      'https://store.example/v1',
    );
    reference.expected.push(/404/);
  });
});

describe('below another path of a proxy, with a rate limit', () => {
  const reference = useReference({
    flags: { rateLimit: '2/60s' },
    start: 'about:blank',
    operations: '#listPets',
  });

  test('links, the search and requests stay below it, and 429 says when to send again, which the page does not', async () => {
    const { page, service, requests, expected } = reference;
    expected.push(/429/);
    await page.route('**/shop/**', async (route) => {
      const url = route.request().url().replace('/shop/', '/');
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await page.goto('/shop/docs');
    await giveKey(reference);
    const form = formOf(reference, 'listPets');
    await send(form, '200 OK');
    await send(form, /^429 .*rate_limited .* Send it again in \d\d? s\.$/);
    expect(await shown(form, 'Response headers')).toMatch(/retry-after: \d+/);
    expect(countOf(reference, '/shop/v1/pets')).toBe(2);
    await page.keyboard.press('/');
    await page.keyboard.type('quick start');
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().click();
    await page.waitForURL('**/shop/docs/integrate#quick-start');
    const urls = requests.map((request) => request.url());
    expect(urls.length).toBeGreaterThan(5);
    expect(urls.filter((url) => !url.startsWith(`${service.origin}/shop/`))).toEqual([]);
  });
});

describe('without scripts', () => {
  // Few operations: the whole page takes long.
  const reference = useReference({
    flags: { extensions: 'off' },
    context: { javaScriptEnabled: false },
  });

  test('there is neither a search nor a form, and everything else', async () => {
    const { page } = reference;
    await page.locator('#createPet').waitFor();
    expect(await page.locator('search, form').count()).toBeGreaterThan(4);
    expect(await page.locator('search, form').filter({ visible: true }).count()).toBe(0);
  });
});
