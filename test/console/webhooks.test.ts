/** The page of webhooks, with real receivers. */
import { expect, test } from 'bun:test';
import { spawnGuarded } from '../support/guard.ts';
import { projectOf } from '../support/guide-program.ts';
import { freePort } from '../support/postgres-home.ts';
import { until } from '../support/process.ts';
import { isSignedBy, LOCAL_WEBHOOK_FLAGS, startReceiver } from '../support/webhook-receiver.ts';
import { type Console, enter, failed, installClock, useConsole } from './console-page.ts';
import { button, dialog, eventually } from './places.ts';

const current = useConsole({ flags: LOCAL_WEBHOOK_FLAGS });

const press = (name: string) => button(dialog(current), name).click();
const said = (text: string) => dialog(current).getByText(text).waitFor();
const secretShown = async () => String(await dialog(current).locator('output').allInnerTexts());

/** Closes the dialog of a secret without a copy. */
async function closeSecret({ page }: Console) {
  await page.keyboard.press('Escape');
  await button(dialog(current), 'Close').last().click();
}

test('a new endpoint gets a secret, which is shown once, and a receiver that accepts it, until a colleague deletes it', async () => {
  const { page, store, expected, requests } = await installClock(current);
  expected.push(failed(400), failed(404));
  await enter(current, 'Webhooks', 'Create an endpoint');
  const code = await dialog(current).getByLabel('A receiver to copy').inputValue();
  const project = await projectOf('receiver');
  await Bun.write(project.file('copied.ts'), code);
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}/`;
  const start = async (SECRET = '') => {
    const program = spawnGuarded([process.execPath, 'copied.ts'], {
      cwd: project.path,
      env: { ...process.env, PORT, SECRET },
      stdout: Bun.file(project.file('output')),
      stderr: 'ignore',
    });
    await until(() => fetch(url).then(Boolean, () => false));
    return program;
  };
  const first = await start();
  await dialog(current).getByLabel('URL').fill('shop.example');
  await current.pressUntilInside('Create an endpoint', 'url: must be an');
  await current.fill({ URL: url, Events: 'order.sold' });
  await current.pressUntilInside('Create an endpoint', 'must be one of pet.created');
  await dialog(current).getByLabel('Events').fill('pet.created, order.delivered');
  await current.pressUntilInside('Create an endpoint', 'It is shown only once.');
  const secret = await secretShown();
  await closeSecret(current);
  await page.getByText(secret).waitFor({ state: 'detached' });
  first.kill();
  await first.exited;
  const second = await start(secret);
  await button(page, url).click();
  await current.pressUntilInside('Test', 'The endpoint accepted a ping');
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  await until(async () => (await Bun.file(project.file('output')).text()).includes('pet.created'));
  expect(await store.webhookEndpoints.list().toArray()).toMatchObject([
    { url, types: ['pet.created', 'order.delivered'], status: 'enabled' },
  ]);
  await store.webhookEndpoints.delete(1);
  await said('This endpoint no longer exists.');
  const asked = () => requests.filter((request) => request.url().endsWith('/deliveries')).length;
  const before = asked();
  await page.clock.runFor(20_000);
  await press('Close');
  await dialog(current).waitFor({ state: 'detached' });
  expect(asked()).toBe(before);
  second.kill();
  await second.exited;
  project.remove();
});

/** How often the page reads an endpoint that is shown. */
const POLL_MS = 5_000;

/** Lets the page read until it shows what the service has done meanwhile. */
const read = (shown: RegExp) =>
  eventually(async () => {
    await current.page.clock.fastForward(POLL_MS);
    await dialog(current).getByText(shown).waitFor({ timeout: 500 });
  });

const PENDING = /pets\/1 Pending unsuccessful status 500 · .+ · [\d,]+ ms · .*next at /;
const DELIVERED = /pets\/1 Delivered .+ · [\d,]+ ms$/;

test('an endpoint is tested, replayed, rotated, disabled, enabled and deleted', async () => {
  const { page, store, expected } = await installClock(current);
  // The deliveries of the deleted endpoint are looked for once more.
  expected.push(failed(400), failed(404));
  await using receiver = startReceiver();
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  const { secret } = await store.webhookEndpoints.create({ url: receiver.url });
  await enter(current, 'Webhooks');
  await button(page, receiver.url).press('Enter');
  await said('Nothing was sent yet.');
  receiver.respond = () => new Response(null, { status: 500 });
  await press('Replay');
  const from = dialog(current).getByLabel('From');
  await from.fill('12027-01-01T00:00');
  await said('Enter a day and a time.');
  await from.fill('2027-01-01T00:00');
  await current.pressUntilInside('Replay what failed', '0 events are sent again.');
  await press('Replay');
  await current.pressUntilInside('Replay all', '1 event is sent again.');
  await read(PENDING);
  await said('failing since');
  await current.pressUntilInside('Test', 'did not accept a ping: unsuccessful status 500.');
  receiver.respond = () => new Response();
  await press('Redeliver: pet.created pets/1');
  await said('pet.created pets/1 is sent again.');
  await read(DELIVERED);
  await press('Rotate secret');
  await current.pressUntilInside('Rotate', 'It is shown only once.');
  const rotated = await secretShown();
  // The row of the endpoint leaves the page for a while.
  const list = /webhook-endpoints(\?|$)/;
  await page.route(list, (route) => route.fulfill({ json: [] }), { times: 1 });
  await page.clock.fastForward(POLL_MS);
  await page.locator('.list').waitFor({ state: 'detached' });
  await closeSecret(current);
  await current.pressUntilInside('Test', 'The endpoint accepted a ping');
  const ping = receiver.received.at(-1);
  expect(ping && [secret, rotated].map((one) => isSignedBy(ping, one))).toEqual([true, true]);
  await press('Disable');
  await current.pressUntilInside('Disable', 'on request');
  receiver.respond = () => new Response(null, { status: 500 });
  await press('Enable');
  await current.pressUntilInside('Enable', 'The endpoint did not accept a ping');
  for (const name of ['Keep it', 'Delete']) await press(name);
  await dialog(current).getByText('did not accept').waitFor({ state: 'detached' });
  await press('Keep it');
  receiver.respond = () => new Response();
  await press('Enable');
  await current.pressUntilInside('Enable', 'Enabled');
  for (const name of ['Delete', 'Delete']) await press(name);
  await page.getByText('The service calls your endpoints').last().waitFor();
  await dialog(current).waitFor({ state: 'detached' });
  expect(await store.webhookEndpoints.list().toArray()).toEqual([]);
});
