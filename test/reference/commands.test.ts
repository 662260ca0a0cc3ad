/** The commands of the reference run as they are. */
import { expect, test } from 'bun:test';
import { AnimalStore } from '../../sdk/src/index.ts';
import { DOCUMENT, operationsIn } from '../support/openapi-document.ts';
import { runProgram } from '../support/process.ts';
import { listen } from '../support/socket.ts';
import { useShared } from '../support/use-each.ts';
import { LOCAL_WEBHOOKS, sharedReceiver } from '../support/webhook-receiver.ts';
import { decoded, usePages } from './reference-pages.ts';

const { page } = usePages();

/** The command that the page shows for an operation. It names the service by a variable. */
function commandOf(id: string): string {
  const [, article = ''] = page('/docs').split(`<article id="${id}">`);
  return decoded(/<code class="language-sh">([\s\S]*?)<\/code>/.exec(article)?.[1] ?? '');
}

/** A service with an animal, a category, an API key, and more for some paths. */
async function openFor(path: string) {
  const service = await listen({
    webhookSecretKey: LOCAL_WEBHOOKS.WEBHOOK_SECRET_KEY,
    ...{ webhookAllowHttp: 'on', webhookAllowedNetworks: '127.0.0.0/8' },
  });
  const store = new AnimalStore({ apiKey: service.key, baseUrl: `${service.origin}/v1` });
  await store.pets.create({ name: 'Rex', categoryId: 2, status: 'available' });
  await store.categories.put(1, { name: 'Dogs' });
  await store.apiKeys.create({ name: 'web shop' });
  if (path.includes('{orderId}')) await store.orders.place({ petId: 1 });
  if (path.includes('/webhook')) {
    await store.events.list().toArray();
    const { id } = await store.webhookEndpoints.create({ url: sharedReceiver() });
    await store.webhookEndpoints.replay(id, { after: '2020-01-01T00:00:00Z' });
  }
  return service;
}

/** Of operations that change nothing. */
const shared = useShared(() => openFor('{orderId}/webhook'));

test.each(operationsIn(DOCUMENT))('$method $path succeeds', async (operation) => {
  const isRead = operation.method === 'GET';
  const { origin, key, close } = isRead ? shared : await openFor(operation.path);

  // The receiver of the example does not exist.
  const command = commandOf(operation.operationId).replace(
    'https://shop.example/webhooks',
    sharedReceiver(),
  );
  expect(command).toStartWith('curl ');
  // A stream has no end.
  const isStream = 'text/event-stream' in (operation.responses[200]?.content ?? {});
  const script = command.replace('curl ', "curl -s -o /dev/null -w '%{http_code}' ");
  const { stdout } = await runProgram(['sh', '-e'], {
    input: isStream ? `${script.replace('curl ', 'curl --max-time 1 ')} || test $? = 28` : script,
    variables: { STORE: `${origin}/v1`, AUTH: `Authorization: Bearer ${key}` },
  });
  expect(stdout).toMatch(/^20[0124]$/);
  expect(Object.keys(operation.responses)).toContain(stdout);
  if (!isRead) await close();
});

test('the commands of the start lead from the key to the responses that the page shows', async () => {
  const { origin, key, close } = await listen();
  const page = await (await fetch(`${origin}/docs`)).text();
  const start = page.slice(page.indexOf('id="servers"'), page.indexOf('id="rules"'));
  const blocks = [...start.matchAll(/<code class="language-(\w+)">([\s\S]*?)<\/code>/g)];
  const [commands, responses] = ['sh', 'json'].map((language) =>
    blocks.flatMap(([, of, text = '']) => (of === language ? [decoded(text)] : [])),
  ) as [string[], string[]];
  const input = commands.join('; echo\n').replace('ask_live_…', key).replaceAll('curl', 'curl -s');
  const { stdout } = await runProgram(['sh', '-e'], { input });
  expect(stdout.split('\n').filter(Boolean)).toEqual(responses);
  expect(responses).toHaveLength(2);
  await close();
});
