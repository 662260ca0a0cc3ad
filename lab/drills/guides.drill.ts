/** The Python of the examples: it is killed after its requests, and responses are lost. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { AnimalStore, parseJson, testWebhook } from '../../sdk/src/index.ts';
import { type Fault, startFaultyProxy } from '../../test/sdk/faulty-proxy.ts';
import { spawnGuarded } from '../../test/support/guard.ts';
import {
  killAfterEachRequest,
  readExample,
  startInterruptingProxy,
} from '../../test/support/guide-program.ts';
import { freePort } from '../../test/support/postgres-home.ts';
import { ROOT, runProgram, until } from '../../test/support/process.ts';
import { listen, type SocketService } from '../../test/support/socket.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const CAN_RUN = Bun.spawnSync(['sh', '-c', 'python3 -c "import requests"']).exitCode === 0;

describe.skipIf(!CAN_RUN)('in Python (needs the Debian package python3-requests)', () => {
  const proxy = startInterruptingProxy();
  let service: SocketService;
  let store: AnimalStore<'bigint'>;
  let folder: ReturnType<typeof temporaryFolder>;
  beforeAll(async () => {
    service = await listen();
    proxy.forwardTo(service.origin);
    const options = { baseUrl: `${service.origin}/v1`, apiKey: service.key };
    store = new AnimalStore({ ...options, int64: 'bigint' });
    folder = temporaryFolder();
    const write = (name: string, code: string) => Bun.write(folder.file(name), code);
    cpSync(`${ROOT}docs/examples`, folder.path, { recursive: true });
    await write(
      'shop.py',
      `${readExample('shop.py')}\nprint(*[place(key, int(pet), "cart-1") for key, pet in [("a", 1), ("a", 1), ("b", 1)]])`,
    );
    await write(
      'start.py',
      `${readExample('start_store.py')}\nimport urllib.request
with start_store() as (base_url, key):
    request = urllib.request.Request(f"{base_url}/pets", headers={"Authorization": f"Bearer {key}"})
    print(urllib.request.urlopen(request).read().decode())
    print(base_url, flush=True)
    raise SystemExit("A test failed.")\n`,
    );
  });
  afterAll(async () => {
    await proxy.close();
    await service.close();
    folder.remove();
  });

  const variables = (origin = proxy.origin) => ({ STORE: `${origin}/v1`, KEY: service.key });
  const start = (...command: string[]) =>
    spawnGuarded(['python3', ...command], {
      cwd: folder.path,
      env: { ...process.env, ...variables() },
      stdout: 'ignore',
      stderr: 'ignore',
    });
  const run = (origin: string, ...command: string[]) =>
    runProgram(['python3', ...command], { cwd: folder.path, variables: variables(origin) });

  test('the bulk load doubles no animal and loses none, and the copy is the catalogue', async () => {
    const pets = Array.from({ length: 2_500 }, (_, index) => ({
      name: `animal ${index}`,
      categoryId: '9223372036854775807',
      status: 'available',
    }));
    const lines = pets.map((pet) => JSON.stringify(pet).replace(/"(\d+)"/, '$1'));
    await Bun.write(folder.file('animals.ndjson'), `${lines.join('\n')}\n`);
    const kills = await killAfterEachRequest(proxy, () =>
      start('load.py', 'animals.ndjson', 'one'),
    );
    expect(kills).toBe(3);
    const animals = await store.pets.list({ limit: 100 }).toArray();
    expect(animals.map(({ name }) => name)).toEqual(pets.map(({ name }) => name));
    await Bun.write(folder.file('bad.ndjson'), '{"name":"Rex","categoryId":8}\n{"name":\n');
    const { stderr } = await run(proxy.origin, 'load.py', 'bad.ndjson', 'two');
    expect(stderr).toBe('Line 2 is no JSON.\n');

    const mirror = () => killAfterEachRequest(proxy, () => start('mirror.py', 'copy.ndjson'));
    const expectCopied = async () => {
      const copied = readFileSync(folder.file('copy.ndjson'), 'utf8').trimEnd().split('\n');
      const all = await store.pets.list({ limit: 100 }).toArray();
      const text = (pet: object) =>
        JSON.stringify(pet, (_, value) =>
          typeof value === 'bigint' ? JSON.rawJSON(`${value}`) : value,
        );
      expect(copied.map((line) => line.replaceAll(/([:,]) /g, '$1'))).toEqual(
        all.map((pet) => text(pet).replaceAll(/([:,]) /g, '$1')),
      );
    };
    expect(await mirror()).toBe(25);
    await expectCopied();
    await store.pets.delete(1_000);
    await store.pets.update(1_500, { name: 'Rex' });
    expect(await mirror()).toBe(25);
    await expectCopied();
  });

  test('a lost response orders no animal twice', async () => {
    const faulty = await startFaultyProxy(Number(new URL(service.origin).port));
    const wait = { kind: 'respond', headers: { 'Retry-After': '1' } } as const;
    const limited: Fault = { ...wait, status: 429 };
    const inProgress = { code: 'idempotency_in_progress', message: 'In progress.', status: 409 };
    const busy: Fault = { ...wait, status: 409, body: JSON.stringify(inProgress) };
    const faults: Fault[] = [{ kind: 'cut after' }, busy, limited, { kind: 'cut before' }];
    await fetch(`${faulty.origin}/faults`, { method: 'POST', body: JSON.stringify(faults) });
    const { stdout, stderr } = await run(faulty.origin, 'shop.py');
    await faulty.close();
    expect([stdout, stderr]).toEqual(['1 1 None\n', '']);
    expect(await store.orders.list().toArray()).toHaveLength(1);
  });

  test('a receiver keeps each signed event once, and accepts only a ping until it has the secret', async () => {
    const [secret, other] = ['A', 'B'].map((letter) => `whsec_${letter.repeat(32)}`) as [
      ...[string, string],
    ];
    const url = `http://127.0.0.1:${await freePort()}/`;
    const at = { id: '5f0c9a17-41', timestamp: '2027-01-01T12:00:00.000Z' };
    const data = { id: 2n ** 63n - 1n, name: 'Köln 🦈' };
    const renamed = {
      type: 'category.updated',
      subject: 'categories/1',
      actor: { keyId: 1 },
    } as const;
    const named = { ...at, ...renamed, data };
    const startReceiver = async (SECRET: string) => {
      const receiver = spawnGuarded(['python3', 'receiver.py'], {
        cwd: folder.path,
        env: { ...process.env, PORT: new URL(url).port, SECRET },
        ...{ stdout: 'ignore', stderr: 'ignore' },
      });
      await until(() => fetch(url).then(Boolean, () => false));
      return receiver;
    };
    const send = async (event: Parameters<typeof testWebhook>[0], by: string) =>
      (await fetch(url, { method: 'POST', ...(await testWebhook(event, by)) })).status;
    const first = await startReceiver('');
    expect(await send({ ...at, type: 'ping', data: {} }, secret)).toBe(204);
    expect(await send(named, secret)).toBe(503);
    first.kill('SIGKILL');
    await first.exited;
    const second = await startReceiver(`${other} ${secret}`);
    expect(await send(named, `whsec_${'C'.repeat(32)}`)).toBe(400);
    for (const by of [secret, other]) expect(await send(named, by)).toBe(204);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
    second.kill('SIGKILL');
    using inbox = new Database(folder.file('inbox.db'));
    const kept = inbox.query<{ event: string }, []>('SELECT event FROM events').all();
    expect(kept.map(({ event }) => parseJson(event) as unknown)).toEqual([named]);
  });

  test('a real service starts for a test, and ends with it, even if it fails', async () => {
    mkdirSync(folder.file('node_modules/.bin'), { recursive: true });
    symlinkSync(`${ROOT}bin/animal-store`, folder.file('node_modules/.bin/animal-store'));
    // Of another store, in the environment of the test.
    const options = { cwd: folder.path, variables: { BASE_URL: 'https://store.example/v1' } };
    const { stdout } = await runProgram(['python3', 'start.py'], options);
    const [pets, baseUrl = ''] = stdout.split('\n');
    expect(pets).toBe('[]');
    await expect(fetch(`${baseUrl}/pets`)).rejects.toThrow();
  });
});
