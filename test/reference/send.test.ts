/** The forms that send requests, in a real browser against a real service. */
import { describe, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { runProgram } from '../support/process.ts';
import {
  formOf,
  giveKey,
  keyForm,
  offerKey,
  send,
  shown,
  useReference,
} from './reference-browser.ts';

const MAX = '9223372036854775807';
const MIN = '-9223372036854775808';

const OPERATIONS =
  '#createPet, #deletePet, #getCategory, #getCurrentApiKey, #listPets, #streamEvents, #updatePet';
const reference = useReference({ isShared: true, operations: OPERATIONS });

/** Takes the key from the page, if it has one. */
async function forgetKey(): Promise<void> {
  const forget = keyForm(reference).getByRole('button', { name: 'Forget the key' });
  if (await forget.isVisible()) await forget.click();
}

/** The requests for the API, but for those that ask for the key's scopes. */
const sent = () =>
  reference.requests
    .filter((request) => /\/v1\/(?!api-keys\/current)/.test(request.url()))
    .map((request) => `${request.method()} ${new URL(request.url()).pathname}`);

const isInView = async (part: Locator) => {
  const { y = -1, height = 0 } = (await part.boundingBox()) ?? {};
  return y >= 0 && y + height <= (part.page().viewportSize()?.height ?? 0);
};

// The first one: the page is as it was loaded, without a key.
test('the first screen leads from an API key to the first animal', async () => {
  const { page } = reference;
  await page.setViewportSize({ width: 1_280, height: 800 });
  for (const part of [
    '#key',
    '.shown figure:has-text("Bearer")',
    '#first-request ~ figure >> nth=1',
  ])
    expect([part, await isInView(page.locator(part).first())]).toEqual([part, true]);
});

describe('a 64-bit integer keeps all digits', () => {
  test('in the body of a request and of its response', async () => {
    await giveKey(reference);
    const form = formOf(reference, 'createPet');
    await form.getByLabel('Body').fill(`{"name":"Rex","categoryId":${MAX}}`);
    await send(form, '201 Created');
    expect(await shown(form, 'Request as sent')).toContain(`"categoryId":${MAX}`);
    expect(await shown(form, 'Response body')).toContain(`"categoryId": ${MAX}`);
    const { service } = reference;
    const headers = { Authorization: `Bearer ${service.key}` };
    const address = `${service.origin}/v1/pets?categoryId=${MAX}`;
    const stored = await (await fetch(address, { headers })).text();
    expect(stored).toMatch(new RegExp(`^\\[{"id":\\d+,"name":"Rex","categoryId":${MAX}}]$`));
    expect(await reference.page.locator('body').textContent()).not.toContain('9223372036854776000');
  });

  test('in a path and in a query', async () => {
    await reference.store.categories.put(MAX_ID, { name: 'Large' });
    const { id } = await reference.store.pets.create({ name: 'Rex', categoryId: MIN_ID });
    await giveKey(reference);
    const category = formOf(reference, 'getCategory');
    await category.getByLabel('categoryId').fill(MAX);
    await send(category, '200 OK');
    expect(await shown(category, 'Request as sent')).toContain(`/v1/categories/${MAX}`);
    expect(JSON.parse(await shown(category, 'Response body')).name).toBe('Large');
    const list = formOf(reference, 'listPets');
    await list.getByLabel('categoryId').fill(MIN);
    await list.getByLabel('id, separated by commas').fill(`${id}, ${MAX}`);
    await send(list, '200 OK');
    expect(await shown(list, 'Request as sent')).toContain(
      `/v1/pets?categoryId=${MIN}&id=${id}&id=${MAX}`,
    );
    expect(await shown(list, 'Response body')).toContain(`"categoryId": ${MIN}`);
  });
});

const [MAX_ID, MIN_ID] = [BigInt(MAX), BigInt(MIN)];

test('says what was sent and returned: the headers, without the key, and how long it took', async () => {
  await giveKey(reference);
  const form = formOf(reference, 'createPet');
  await send(form, /^201 Created after \d+ ms/);
  const request = await shown(form, 'Request as sent');
  expect(request).toStartWith(`POST ${reference.service.origin}/v1/pets\n`);
  expect(request).toContain('authorization: Bearer ********');
  expect(request).toContain('content-type: application/json');
  expect(request).not.toContain(reference.service.key);
  const response = await shown(form, 'Response headers');
  for (const name of ['x-request-id', 'etag', 'location']) expect(response).toContain(`${name}: `);
  const [actual] = reference.requests.filter((each) => each.method() === 'POST');
  const headers = actual?.headers() ?? {};
  expect(headers['authorization']).toBe(`Bearer ${reference.service.key}`);
  expect(request).toContain(`idempotency-key: ${headers['idempotency-key']}`);
  expect(request).toContain(actual?.postData() ?? '(no body)');
});

test('the command is the request of the form, whatever is typed', async () => {
  const { page, service, store } = reference;
  const { id } = await store.pets.create({ name: 'Rex', categoryId: 1 });
  const command = page.locator('#updatePet .shown code').first();
  expect(await command.textContent()).toContain('"$STORE/pets/');
  const form = formOf(reference, 'updatePet');
  await form.getByLabel('petId').fill(String(id));
  await form.getByText('Headers', { exact: true }).click();
  await form.getByLabel('If-Match').fill('*');
  await form.getByLabel('Body').fill('{"name":"O\'Neil"}');
  const variables = { STORE: `${service.origin}/v1`, AUTH: `Authorization: Bearer ${service.key}` };
  const input = (await command.textContent())?.replace('curl', 'curl -s') ?? '';
  expect(input).toContain("-H 'If-Match: *'");
  const { stdout } = await runProgram(['sh', '-e'], { input, variables });
  expect(JSON.parse(stdout)).toEqual({ id, name: "O'Neil", categoryId: 1 });
});

test('the response comes into view', async () => {
  const { page, store } = reference;
  await page.setViewportSize({ width: 1_280, height: 700 });
  await store.pets.createMany(Array.from({ length: 20 }, () => ({ name: 'Rex', categoryId: 1 })));
  await giveKey(reference);
  const form = formOf(reference, 'listPets');
  await form
    .getByRole('button', { name: 'Send' })
    .evaluate((button) => button.scrollIntoView({ block: 'end' }));
  await send(form, '200 OK');
  for (const part of ['.outcome', '.exchange figure:has-text("Response body")'])
    expect(await isInView(form.locator(part))).toBe(true);
});

test('an example and a response are copied as they are shown', async () => {
  const { page } = reference;
  await page.context().grantPermissions(['clipboard-read']);
  await giveKey(reference);
  await send(formOf(reference, 'getCurrentApiKey'), '200 OK');
  for (const block of ['#first-request ~ figure', '#getCurrentApiKey .exchange']) {
    const pre = page.locator(`${block} pre`).first();
    await pre.getByRole('button', { name: 'Copy' }).click();
    await pre.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await pre.locator('code').textContent();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text);
  }
});

test('sends the headers of the form, and a merge patch with its own type', async () => {
  const { id } = await reference.store.pets.create({ name: 'Rex', categoryId: 1 });
  await giveKey(reference);
  const form = formOf(reference, 'updatePet');
  await form.getByLabel('petId').fill(String(id));
  await form.getByText('Headers', { exact: true }).click();
  await form.getByLabel('If-Match').fill('"other"');
  await send(form, '412 Precondition Failed');
  await form.getByLabel('If-Match').fill('');
  await send(form, '200 OK');
  const patches = reference.requests.filter((request) => request.method() === 'PATCH');
  expect(patches.map((request) => request.headers()['if-match'])).toEqual(['"other"', undefined]);
  expect(patches[0]?.headers()['content-type']).toBe('application/merge-patch+json');
  reference.expected.push(/412/);
});

test('is not printed, and the page fills the paper', async () => {
  const { page } = reference;
  await page.setViewportSize({ width: 1_600, height: 900 });
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('main').evaluate((main) => main.clientWidth)).toBeGreaterThan(1_000);
  expect(await formOf(reference, 'createPet').isVisible()).toBe(false);
  await page.emulateMedia({ media: null });
});

test('shows what the service sends, not what the cache of the browser has', async () => {
  await giveKey(reference);
  const form = formOf(reference, 'listPets');
  await form.getByLabel('categoryId').fill('7');
  await send(form, '200 OK');
  await reference.store.pets.create({ name: 'Nero', categoryId: 7 });
  await form.getByText('Headers', { exact: true }).click();
  await form.getByLabel('Prefer').selectOption('handling=strict');
  await send(form, '200 OK');
  await form.locator('.exchange', { hasText: '"name": "Nero"' }).waitFor();
  const lists = reference.requests.filter((request) => request.url().includes('/v1/pets?'));
  expect(lists).toHaveLength(2);
  for (const list of lists) expect(await list.allHeaders()).not.toHaveProperty('if-none-match');
  const [, etag = ''] = /etag: (.*)/.exec(await shown(form, 'Response headers')) ?? [];
  await form.getByLabel('If-None-Match').fill(etag);
  await send(form, '304 Not Modified');
  expect(await shown(form, 'Response body')).toBe('None.');
});

test('shows the events of a stream as they come, until the user stops it', async () => {
  const { page, store } = reference;
  await giveKey(reference);
  const form = formOf(reference, 'streamEvents');
  await send(form, /^200 OK after \d+ ms/);
  expect(await shown(form, 'Response headers')).toContain('content-type: text/event-stream');
  for (const name of ['Rex', 'Mia']) {
    await store.pets.create({ name, categoryId: 1 });
    await form.locator('.exchange', { hasText: `"name":"${name}"` }).waitFor();
  }
  expect(await shown(form, 'Response body')).toMatch(/event: pet\.created.*"Rex".*"Mia"/s);
  await form.getByRole('button', { name: 'Stop' }).click();
  await form.locator('.outcome', { hasText: /^Cancelled\.$/ }).waitFor();
  await store.pets.create({ name: 'Tom', categoryId: 1 });
  await send(form, '200 OK');
  await form.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  await send(formOf(reference, 'listPets'), '200 OK');
});

test('shows the events of a stream whose media type a proxy has spelt otherwise', async () => {
  const headers = { 'Content-Type': 'Text/event-stream; charset=utf-8' };
  const once = { times: 1 };
  await reference.page.route(
    '**/v1/events/stream*',
    (it) => it.fulfill({ headers, body: ': 1' }),
    once,
  );
  await giveKey(reference);
  await send(formOf(reference, 'streamEvents'), 'The service has ended the stream.');
});

describe('the API key', () => {
  test('says on each operation whether it may call it', async () => {
    const { key } = await reference.store.apiKeys.create({ name: 'shop', scopes: ['pets:read'] });
    await giveKey(reference, key);
    await keyForm(reference).getByText('“shop” has the scopes pets:read.').waitFor();
    const note = (id: string) => formOf(reference, id).locator('.may').textContent();
    expect(await note('listPets')).toBe('Your key may call this operation.');
    expect(await note('getCurrentApiKey')).toBe('Your key may call this operation.');
    expect(await note('createPet')).toBe('Your key lacks pets:write.');
    expect(await note('deletePet')).toBe('Your key lacks pets:write.');
    await send(formOf(reference, 'createPet'), 'scope_missing');
    reference.expected.push(/403/);
  });

  test('is asked for when it is missing, and then the page returns to the request', async () => {
    const { page, service } = reference;
    await forgetKey();
    const form = formOf(reference, 'listPets');
    await form.getByRole('button', { name: 'Send' }).click();
    await keyForm(reference).getByText('First give an API key.').waitFor();
    await page.keyboard.type(service.key);
    await page.keyboard.press('Enter');
    await keyForm(reference).getByText(' has the scopes ').waitFor();
    expect(sent()).toEqual([]);
    await page.keyboard.press('Enter');
    await form.locator('.outcome', { hasText: '200 OK' }).waitFor();
    expect(sent()).toEqual(['GET /v1/pets']);
  });

  test('is kept for this tab as in the console, until it is forgotten', async () => {
    const { page } = reference;
    await forgetKey();
    await giveKey(reference);
    const stored = () =>
      page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])');
    const kept = { 'animal-store-key': reference.service.key };
    expect(JSON.parse(String(await stored()))).toEqual([kept, {}, '']);
    expect(await keyForm(reference).getByLabel('API key').inputValue()).toBe('');
    await page.reload();
    await keyForm(reference).getByText(' has the scopes ').waitFor();
    await forgetKey();
    expect(JSON.parse(String(await stored()))).toEqual([{}, {}, '']);
    expect(await formOf(reference, 'listPets').locator('.may').isHidden()).toBe(true);
    await formOf(reference, 'listPets').getByRole('button', { name: 'Send' }).click();
    expect(sent()).toEqual([]);
  });

  test('that the service refuses is neither used nor kept', async () => {
    const { page } = reference;
    await forgetKey();
    await offerKey(reference, `${reference.service.key}x`);
    await keyForm(reference).locator('.outcome.bad').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    reference.expected.push(/401/);
  });
});

describe('a DELETE', () => {
  const ask = async () => {
    const { id } = await reference.store.pets.create({ name: 'Rex', categoryId: 1 });
    await giveKey(reference);
    const form = formOf(reference, 'deletePet');
    await form.getByLabel('petId').fill(String(id));
    await form.getByRole('button', { name: 'Send' }).click();
    const question = reference.page.getByRole('dialog', { name: 'Send this request?' });
    const request = `DELETE /v1/pets/${id}`;
    await question.getByText(request, { exact: true }).waitFor();
    return { form, request, question };
  };

  test('that is not confirmed is not sent, and the focus returns', async () => {
    const { page } = reference;
    const { form, request, question } = await ask();
    for (const refuse of [
      () => question.getByRole('button', { name: 'Cancel' }).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await question.waitFor();
      await refuse();
      await question.waitFor({ state: 'hidden' });
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Send');
      expect(sent()).toEqual([]);
      await form.getByRole('button', { name: 'Send' }).click();
    }
    await question.getByRole('button', { name: 'Send DELETE' }).click();
    await form.locator('.outcome', { hasText: '204' }).waitFor();
    expect(sent()).toEqual([request]);
  });
});
