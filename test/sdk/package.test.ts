/** The package as npm packs it: small, complete, with types that protect its users, and a README whose examples run. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readExample } from '../support/guide-program.ts';
import { ROOT, runProgram } from '../support/process.ts';
import { listen } from '../support/socket.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './packages.ts';

const MAX_BYTES = 8_000;

const EXPORTS = [
  ...['AnimalStore', 'AnimalStoreError', 'ApiError', 'ConnectionError', 'TimeoutError'],
  ...['UnsupportedError', 'VERSION', 'WebhookVerificationError', 'isApiError', 'parseJson'],
  ...['renderJson', 'testWebhook', 'verifyWebhook'],
];

let folder: ReturnType<typeof temporaryFolder>;
let installed: string;
/** The paths in the package. */
let files: readonly string[];
beforeAll(async () => {
  folder = temporaryFolder();
  await Bun.write(folder.file('package.json'), '{"type":"module"}');
  installed = folder.file('node_modules/@animal-store/client');
  mkdirSync(installed, { recursive: true });
  // It builds the package and packs the same files as npm, which takes a second of a processor.
  const pack = [process.execPath, 'pm', 'pack', '--quiet', '--destination', folder.path];
  const archive = (await run(pack, join(ROOT, 'sdk'))).trim().split('\n').at(-1) ?? '';
  await run(['tar', '-xzf', archive, '--strip-components=1'], installed);
  files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(installed, path)).isFile(),
  );
});
afterAll(() => folder.remove());

test('the package is smaller than 8 kB in the minified and compressed bundle of a page', async () => {
  // A page receives no webhooks.
  const page = `export { ${EXPORTS.filter((name) => !/webhook/i.test(name))} } from '@animal-store/client';`;
  await Bun.write(folder.file('page.js'), page);
  const { outputs } = await Bun.build({
    entrypoints: [folder.file('page.js')],
    target: 'browser',
    minify: true,
  });
  const bundle = Buffer.from(await (outputs[0] as Blob).arrayBuffer());
  expect(gzipSync(bundle, { level: 9 }).length).toBeLessThan(MAX_BYTES);
  expect(brotliCompressSync(bundle).length).toBeLessThan(MAX_BYTES);
});

test('the bundle imports nothing', () => {
  const bundle = readFileSync(join(installed, 'dist/index.js'), 'utf8');
  const { imports, exports } = new Bun.Transpiler({ loader: 'js' }).scan(bundle);
  expect(imports).toEqual([]);
  expect(exports.sort()).toEqual(EXPORTS);
  const metadata = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(Object.keys(metadata).filter((key) => /dependencies/i.test(key))).toEqual([]);
});

test('require loads a module of its own, so it needs no feature of new versions of Node.js', async () => {
  const program = `
    const { AnimalStore, isApiError } = require('@animal-store/client');
    const fetch = async () => Response.json({ code: 'a_code', message: 'Failed.' }, { status: 400 });
    const store = new AnimalStore({ baseUrl: 'http://store.example/v1', apiKey: 'key', fetch });
    store.inventory.get().catch((error) => console.log(isApiError(error, 'a_code'), require.resolve('@animal-store/client')));
  `;
  await Bun.write(folder.file('program.cjs'), program);
  const { stdout, stderr } = await runProgram(['node', folder.file('program.cjs')]);
  expect([stdout, stderr]).toEqual([`true ${join(installed, 'dist/cjs/index.js')}\n`, '']);
});

test('an uncaught error shows its class, the call, and a readable line instead of the whole package', async () => {
  const program = `
    import { AnimalStore } from '@animal-store/client';
    const fetch = async () => Response.json({ code: 'validation_failed', message: 'name: is required' }, { status: 400 });
    const store = new AnimalStore({ baseUrl: 'http://store.example/v1', apiKey: 'key', fetch });
    async function addRex() { await store.pets.create({}); }
    await addRex();
  `;
  await Bun.write(folder.file('program.mjs'), program);
  const { status, stderr } = await runProgram(['node', folder.file('program.mjs')]);
  expect(status).toBe(1);
  expect(stderr).toContain('\nApiError: name: is required\n');
  expect(stderr).toContain('at async addRex');
  expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(300);
});

test('it contains the build, the licence and the description', () => {
  for (const name of ['index.js', 'index.d.ts', 'cjs/index.js', 'cjs/package.json'])
    expect(files).toContain(`dist/${name}`);
  expect(files.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ]);
});

/** What a user of the package writes. A line after `@ts-expect-error` must not compile. */
const USER = `
import { AnimalStore, isApiError, VERSION, type CachedResponse, type ErrorCode, type EventType, type FeedEvent, type Hooks, type Int64, type LaterEventType, type NewPet, parseJson, type Pet, renderJson, testWebhook, verifyWebhook, type WebhookEvent } from '@animal-store/client';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_isSame: Equal<A, B>): void => {};
const options = { baseUrl: 'https://store.example/v1', apiKey: 'key' };

export async function use(signal: AbortSignal): Promise<void> {
  const store = new AnimalStore(options);
  const bigints = new AnimalStore({ ...options, int64: 'bigint' });
  const strings = new AnimalStore({ ...options, int64: 'string' });
  const numbers = new AnimalStore({ ...options, int64: 'number' });
  same<typeof bigints, AnimalStore<'bigint'>>(true);

  const pet = await store.pets.create({ name: 'Rex', categoryId: 1 }, { signal });
  same<typeof pet, Pet<Int64>>(true);
  same<typeof pet.id, number | bigint>(true);
  same<typeof pet.status, 'available' | 'pending' | 'sold' | undefined>(true);
  same<Awaited<ReturnType<typeof bigints.pets.get>>['id'], bigint>(true);
  same<Awaited<ReturnType<typeof strings.pets.get>>['categoryId'], string>(true);
  const byId = new Map<number, Pet<number>>();
  for await (const one of numbers.pets.list()) byId.set(one.id, one);
  for await (const { id, expiresAt } of strings.orders.list({ status: 'placed' })) {
    same<typeof id, string>(true);
    same<typeof expiresAt, string | undefined>(true);
  }
  const { data, response } = await bigints.categories.get(1n).withResponse();
  same<typeof data.id, bigint>(true);
  same<typeof response.etag, string | undefined>(true);
  for await (const page of store.pets.list({ id: [pet.id] }).pages()) same<typeof page.data, Pet<Int64>[]>(true);
  same<Awaited<ReturnType<typeof store.pets.delete>>, void>(true);
  await store.pets.edit(pet.id, ({ status }) => (status === 'sold' ? { status: null } : undefined));
  await strings.pets.get('9223372036854775807');
  await store.inventory.get().then(({ sold }) => same<typeof sold, number>(true));

  const cache = new Map<string, CachedResponse>();
  const hooks: Hooks = { onRequest: ({ headers }) => headers.set('traceparent', '1'), onRetry: ({ stop }) => stop() };
  const hooked = new AnimalStore({ ...options, ...hooks, cache, userAgent: 'shop/2.1', strict: false });
  same<typeof hooked, AnimalStore<'auto'>>(true);
  same<Awaited<ReturnType<ReturnType<typeof bigints.pets.list>['toArray']>>, Pet<bigint>[]>(true);
  const found = await store.request<Pet<string>[]>('GET', '/pets', { query: { id: [1n] }, ...hooks, signal });
  same<typeof found, Pet<string>[]>(true);
  const stream = new ReadableStream<NewPet>();
  await strings.pets.bulkCreate(stream, { from: 5, onProgress: ({ created }) => same<typeof created, readonly Pet<string>[]>(true) });

  for await (const event of bigints.events.list({ type: ['pet.created'], sort: '-id' })) {
    same<typeof event.id, string>(true);
    if (event.type === 'pet.created' || event.type === 'pet.updated') {
      same<typeof event.data, Pet<bigint>>(true);
      same<NonNullable<typeof event.previous>['categoryId'], bigint | null | undefined>(true);
    } else if (event.type === 'pets.imported') same<typeof event.data.firstId, bigint>(true);
    else if (event.type === 'order.placed') {
      same<typeof event.data.petId, bigint>(true);
      // @ts-expect-error An event does not contain it.
      event.data.note;
    }
    switch (event.type) {
      case 'category.deleted':
        same<typeof event.data.name, string>(true);
        break;
      case 'api_key.revoked':
        same<typeof event.data.id, bigint>(true);
        break;
      case 'webhook_endpoint.disabled':
        same<typeof event.data.disabledReason, string>(true);
        break;
      default: {
        const type: string = event.type;
        console.log(type, event.data);
      }
    }
  }
  // Every known type has its data.
  same<Exclude<FeedEvent['type'], LaterEventType>, EventType>(true);

  const headers = new Headers();
  const automatic = await verifyWebhook('', headers, 'whsec_');
  same<typeof automatic, WebhookEvent>(true);
  const webhook = await verifyWebhook(new Uint8Array(), headers, ['whsec_'], { int64: 'string' });
  if (webhook.type === 'pet.updated') same<typeof webhook.data.categoryId, string>(true);
  // @ts-expect-error An event has more than a type.
  await testWebhook({ type: 'pet.updated' }, 'whsec_');
  // @ts-expect-error A parsed body has other bytes.
  await verifyWebhook({}, headers, 'whsec_');

  try {
    await store.orders.place({ petId: pet.id }, { idempotencyKey: 'order-1', maxRetries: 5 });
  } catch (error) {
    if (isApiError(error, 'pet_not_available')) same<typeof error.code, 'pet_not_available'>(true);
    if (isApiError(error, 'a_code_of_the_future')) same<typeof error.code, 'a_code_of_the_future'>(true);
    const known: ErrorCode | undefined = isApiError(error, VERSION) ? undefined : 'pet_not_found';
    if (isApiError(error, known)) same<typeof error.status, number>(true);
    if (isApiError(error)) same<(typeof error.fields)[number]['path'], readonly (string | number)[]>(true);
  }

  same<ReturnType<typeof parseJson>, unknown>(true);
  same<Parameters<typeof renderJson>, [value: unknown]>(true);
  // @ts-expect-error There is no such representation.
  parseJson('1', 'float');
  // @ts-expect-error A base URL is necessary.
  new AnimalStore({ apiKey: 'key' });
  // @ts-expect-error There is no such representation.
  new AnimalStore({ ...options, int64: 'float' });
  // @ts-expect-error An id is a number.
  await numbers.pets.get('7');
  // @ts-expect-error There is no such method of HTTP here.
  await store.request('get', '/pets');
  // @ts-expect-error An animal needs a category.
  await store.pets.create({ name: 'Rex' });
  // @ts-expect-error There is no such status.
  await store.pets.create({ name: 'Rex', categoryId: 1, status: 'lost' });
  // @ts-expect-error An id is no text in this representation.
  await store.pets.get('7');
  // @ts-expect-error Nor is it in this one.
  await bigints.pets.get('7');
  // @ts-expect-error There is no such filter.
  store.pets.list({ colour: 'red' });
  // @ts-expect-error A list is no promise.
  store.pets.list().then();
  // @ts-expect-error A name cannot be removed.
  await store.pets.update(1, { name: null });
  // @ts-expect-error A change has no Idempotency-Key.
  await store.pets.update(1, {}, { idempotencyKey: 'one' });
  // @ts-expect-error A read has no precondition.
  await store.pets.get(1, { ifMatch: '"a"' });
  // @ts-expect-error What a call returns cannot be changed.
  pet.name = 'Max';
}
`;

/** What the compiler says of these files, as ES modules or, with the extension `.cts`, CommonJS on Node.js. */
async function compile(options: object, files: readonly string[]): Promise<string> {
  const language = { strict: true, noEmit: true, target: 'ES2022', module: 'NodeNext' };
  const config = { compilerOptions: { ...language, ...options, skipDefaultLibCheck: true }, files };
  await Bun.write(folder.file('tsconfig.json'), JSON.stringify(config));
  return (await runProgram([join(ROOT, 'node_modules/.bin/tsc'), '-p', folder.path])).stdout;
}

test('the types follow the options and refuse misuse, with the strictest settings and for a bundler', async () => {
  const options = { lib: ['ES2022', 'DOM', 'DOM.AsyncIterable'], types: [] };
  const strictest = {
    ...options,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  };
  const users = ['user.ts', 'user.cts'];
  for (const name of users) await Bun.write(folder.file(name), USER);
  expect(await compile(strictest, users)).toBe('');
  const bundled = { ...options, module: 'ESNext', moduleResolution: 'bundler' };
  expect(await compile(bundled, ['user.ts'])).toBe('');
});

const README = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8');
const EXAMPLES = [...README.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
const PROGRAM = EXAMPLES.join('\n');

test('the examples of the README are one program, which prints what they show', async () => {
  const service = await listen();
  const expected = [...PROGRAM.matchAll(/^\/\/ → (.*)$/gm)].map(([, line]) => line);
  const program = folder.file('examples.ts');
  await Bun.write(program, PROGRAM.replaceAll('http://127.0.0.1:8080', service.origin));
  const variables = { KEY: service.key };
  const { stdout, stderr } = await runProgram([process.execPath, program], { variables });
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toEqual(expected as string[]);
  await service.close();
});

test('the examples of the README and the programs of the recipes compile', async () => {
  const programs = ['shop', 'load', 'mirror', 'receiver'];
  await Bun.write(folder.file('readme.ts'), PROGRAM);
  for (const name of programs) {
    await Bun.write(folder.file(`${name}.ts`), readExample(`${name}.ts`));
  }
  // The shop is also for projects with CommonJS.
  await Bun.write(folder.file('shop-commonjs.cts'), readExample('shop.ts'));
  const options = {
    ...{ lib: ['ES2022', 'DOM'], types: ['node', 'bun'] },
    ...{ typeRoots: [join(ROOT, 'node_modules/@types')], skipLibCheck: true },
  };
  const modules = ['readme', ...programs].map((name) => `${name}.ts`);
  expect(await compile(options, [...modules, 'shop-commonjs.cts'])).toBe('');
});
