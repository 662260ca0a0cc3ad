import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { readConfig } from '../../src/config/config.ts';
import {
  animalStore,
  bearer,
  commandOf,
  eventNames,
  ONE_SENTENCE,
  parseLog,
  postPet,
  runProgram,
  sourceCommandOf,
  startCommand,
  startService,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { getJson } from './connection.ts';
import { withFile } from './maintained.ts';

const place = useEach(workplace);

test('the first start creates a folder, and prints the first key and a working curl command; the second start prints neither, nor metrics that nobody asked for, and reads what another process adds', async () => {
  const database = place.file('deep/er/animals.db');
  await using first = await startService(database);
  const { firstKey: key = '' } = first;
  expect(key).toMatch(/^ask_live_[0-9A-Za-z]{36}$/);
  const curl = /^ {2}(curl .*)$/m.exec(first.stderr())?.[1] ?? '';
  const tried = await runProgram(['sh', '-c', `${curl} -s -w '\\n%{http_code}'`]);
  expect(tried.stdout).toBe('[]\n200');
  await first.stop();
  await using service = await startService(database);
  withFile(database, (file) =>
    file.run("INSERT INTO pets (name, category_id, folded_name) VALUES ('Rex', 1, 'rex')"),
  );
  expect(await getJson<object[]>(service.origin, key, '/pets')).toEqual([
    { id: 1, name: 'Rex', categoryId: 1 },
  ]);
  const { stderr, stdout } = await service.stop();
  expect(stderr).toMatch(/^Animal Store serves .*\n$/);
  expect(stdout + stderr).not.toMatch(/ask_live_|Metrics/);
});

test('a service without a port for metrics does not load their library', async () => {
  const preload = place.file('preload.ts');
  writeFileSync(preload, "Bun.plugin({ setup: (it) => it.module('prom-client', process.exit) });");
  const flags = ['--port', '0', '--database', place.database];
  const [runtime = '', ...program] = sourceCommandOf('serve', ...flags);
  await using service = await startCommand([runtime, '--preload', preload, ...program]);
  expect((await service.stop()).status).toBe(0);
});

test('the log is JSON on standard output, with one line per request except health checks, and never contains the key', async () => {
  await using service = await startService(place.database);
  const { origin, firstKey = '' } = service;
  await fetch(`${origin}/v1/pets?limit=5`, {
    headers: { ...bearer(firstKey).headers, 'X-Request-Id': 'mine-1' },
  });
  await postPet(origin, firstKey, { name: 'Rex', categoryId: 1 });
  await fetch(`${origin}/v1/pets/77`, bearer(firstKey));
  await fetch(`${origin}/v1/pets`);
  await fetch(`${origin}/v1/pets`, bearer(`${firstKey.slice(0, -1)}!`));
  await fetch(`${origin}/v1/nothing?key=${firstKey}`, bearer(firstKey));
  await fetch(`${origin}/livez`);
  const { stdout } = await service.stop();
  const requests = parseLog(stdout).filter((line) => line['event.name'] === 'request');
  const logged = requests.map((line) => [
    line['http.request.method'],
    line['http.route'],
    line['http.response.status_code'],
    line['animal_store.api_key.id'],
  ]);
  expect(logged).toEqual([
    ['GET', '/v1/pets', 200, 1],
    ['POST', '/v1/pets', 201, 1],
    ['GET', '/v1/pets/{petId}', 404, 1],
    ['GET', undefined, 401, undefined],
    ['GET', undefined, 401, undefined],
    ['GET', undefined, 404, 1],
  ]);
  expect(requests[0]?.['animal_store.request.id']).toBe('mine-1');
  expect(eventNames(stdout)).toEqual([
    'api_key_created',
    'server_started',
    'credential_refused',
    'shutdown_started',
    'shutdown_finished',
  ]);
  expect(stdout).not.toContain(firstKey.slice(0, -4));
});

test.each(['203.0.113.1', `${'a'.repeat(64)}.invalid`])(
  'the host %s, which is not this machine, is rejected with one sentence that does not blame the port',
  async (host) => {
    const flags = ['--host', host, '--port', '0', '--database', place.database];
    const { status, stderr } = await animalStore(['serve', ...flags]);
    expect(stderr).toMatch(ONE_SENTENCE);
    expect(stderr).toContain(host);
    expect(stderr).not.toContain('in use');
    expect(status).toBe(1);
  },
);

test('PORT, HOST and DATABASE_URL of the environment are used, and flags take precedence', async () => {
  const variables = { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: 'file:from-url.db' };
  await using service = await startCommand(commandOf('serve'), { cwd: place.path, variables });
  expect((await fetch(`${service.origin}/livez`)).status).toBe(200);
  expect(place.has('from-url.db')).toBeTrue();
  const flags = { host: '127.0.0.1', port: '0', database: 'from-flag.db' };
  const bad = { PORT: 'bad', HOST: 'bad host', DATABASE_URL: 'bad://' };
  expect(readConfig(['host', 'port', 'database'], flags, bad)).toEqual({ ...flags, port: 0 });
});

test('file: URLs with relative, absolute and percent-encoded paths are accepted', async () => {
  const { path, file, files } = place;
  const urls = ['file:one.db', `file:${file('two.db')}`, `file://${file('with%20space.db')}`];
  for (const DATABASE_URL of urls) {
    const options = { cwd: path, variables: { DATABASE_URL } };
    expect((await animalStore(['keys', 'create', '--name', 'a'], options)).status).toBe(0);
  }
  expect(files()).toEqual(['one.db', 'two.db', 'with space.db']);
});
