import { expect, test } from 'bun:test';
import { copyFileSync, symlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { checkpointLeftoverWal, DATABASE_SETTINGS } from '../../src/cli/database.ts';
import { readConfig } from '../../src/config/config.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { collectedIo } from '../support/collected-io.ts';
import {
  bearer,
  eventNames,
  parseLog,
  postPet,
  type RunningService,
  startCommand,
  startService,
  until,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { Connection, closesConnection, newPetRequest, startWriters } from './connection.ts';
import { logged } from './logged.ts';
import { maintained, namesIn } from './maintained.ts';

const place = useEach(workplace);

const petsIn = (database: string): string[] => [...namesIn(database).values()];

const lastEvent = (stdout: string) => parseLog(stdout).at(-1)?.['event.name'];

/** Resolves when the service accepts no more connections: the shutdown has started. */
async function untilNotListening(origin: string): Promise<void> {
  for (;;) {
    const connection = await Connection.open(origin);
    if (connection === undefined) return;
    connection.close();
    await sleep(2);
  }
}

/** Sends a request with an incomplete body. `finish` sends the rest. */
async function beginRequest(service: RunningService, name: string) {
  const connection = await Connection.open(service.origin);
  if (connection === undefined) throw new Error('The service does not listen.');
  const request = newPetRequest(service.firstKey ?? '', name);
  connection.send(request.slice(0, -5));
  // After the response to a later request, the first bytes have arrived too.
  await fetch(`${service.origin}/livez`);
  return {
    connection,
    finish() {
      connection.send(request.slice(-5));
      return connection.response();
    },
  };
}

test('SIGTERM under load exits with status 0, and the file contains exactly the animals with response 201', async () => {
  await using service = await startService(place.database);
  const { origin, firstKey: key = '' } = service;
  const { written, finished } = startWriters({ origin, key }, 16);
  await until(() => written.acknowledged.size >= 200);
  service.signal('SIGTERM');
  const { status, stdout } = await service.ended();
  await finished;
  expect(status).toBe(0);
  expect(place.files()).toEqual(['animals.db']);
  // An animal without a response would have been committed, and its response cut off.
  expect(petsIn(place.database).sort()).toEqual([...written.acknowledged.keys()].sort());
  expect(written.refused).toEqual([]);
  expect(written.duplicateIds).toEqual([]);
  expect(eventNames(stdout)).toEqual([
    'api_key_created',
    'server_started',
    'shutdown_started',
    'shutdown_finished',
  ]);
  expect(lastEvent(stdout)).toBe('shutdown_finished');
  const created = parseLog(stdout).filter((line) => line['http.response.status_code'] === 201);
  expect(created.length).toBe(written.acknowledged.size);
});

test('a request in progress when the shutdown starts gets a response with Connection: close, and idle persistent connections do not delay the shutdown', async () => {
  await using service = await startService(place.database);
  const idle = await Connection.open(service.origin);
  idle?.send(newPetRequest(service.firstKey ?? '', 'Mia'));
  expect((await idle?.response())?.status).toBe(201);
  const request = await beginRequest(service, 'Rex');
  service.signal('SIGTERM');
  await untilNotListening(service.origin);
  const response = await request.finish();
  expect(response?.status).toBe(201);
  const { status, stdout } = await service.ended();
  expect(status).toBe(0);
  expect(eventNames(stdout)).not.toContain('drain_timeout');
  expect(petsIn(place.database)).toEqual(['Mia', 'Rex']);
  expect(response && closesConnection(response)).toBeTrue();
});

test('an unfinished request delays the shutdown only until --shutdown-timeout, which is logged', async () => {
  await using service = await startService(place.database, ['--shutdown-timeout', '100ms']);
  const request = await beginRequest(service, 'Rex');
  const { status, stdout } = await service.stop();
  expect(status).toBe(0);
  expect(logged(stdout, 'drain_timeout')[0]?.['http.server.active_requests']).toBe(1);
  expect(lastEvent(stdout)).toBe('shutdown_finished');
  expect(await request.connection.response()).toBeUndefined();
  expect(place.files()).toEqual(['animals.db']);
  expect(petsIn(place.database)).toEqual([]);
});

test('a body that arrives after its request was refused does not delay the shutdown until --shutdown-timeout', async () => {
  await using service = await startService(place.database, ['--shutdown-timeout', '60s']);
  const { connection } = await beginRequest({ ...service, firstKey: 'wrong' }, 'Rex');
  expect((await connection.response())?.status).toBe(401);
  for (const piece of ['d":', '1}']) {
    connection.send(piece);
    await fetch(`${service.origin}/livez`);
  }
  expect((await service.stop()).status).toBe(0);
});

test('the shutdown stores the exact number of calls of each operation', async () => {
  await using service = await startService(place.database);
  const { origin, firstKey: key = '' } = service;
  for (let call = 0; call < 7; call += 1) await fetch(`${origin}/v1/pets`, bearer(key));
  for (let call = 0; call < 5; call += 1) {
    await postPet(origin, key, { name: `Rex ${call}`, categoryId: 1 });
  }
  for (let call = 0; call < 3; call += 1) await fetch(`${origin}/v1/pets/1`, bearer(key));
  await service.stop();

  const usage = (...flags: string[]) => maintained(place.database, 'usage', ...flags);
  const ofGet = { operation: 'getPet', lifecycle: 'deprecated', calls: 3 };
  expect(JSON.parse(await usage('--all', '--json'))).toMatchObject([
    { operation: 'createPet', calls: 5 },
    ofGet,
    { operation: 'listPets', calls: 7 },
  ]);
  expect(JSON.parse(await usage('--json'))).toMatchObject([{ ...ofGet, keyId: 1 }]);
  const date = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  expect(JSON.parse(await usage('--days', '--json'))).toEqual([{ ...ofGet, date }]);
  expect(await usage('--days')).toMatch(
    /^OPERATION +LIFECYCLE +DATE +CALLS\ngetPet +deprecated +\S+ +3\n$/,
  );
});

test('what npm start runs shuts down gracefully on a SIGTERM to its shell', async () => {
  const flags = ['--port', '0', '--database', place.database];
  const script = `${packageJson.scripts.start} ${flags.join(' ')}`;
  await using service = await startCommand(['sh', '-c', script]);
  expect(lastEvent((await service.stop()).stdout)).toBe('shutdown_finished');
  expect(place.files()).toEqual(['animals.db']);
});

test('the end of the workers leaves no WAL beside a database that is named by a symbolic link', async () => {
  const { database, file, has } = place;
  const opened = openSqlite(database);
  for (const suffix of ['', '-wal']) copyFileSync(database + suffix, file(`left.db${suffix}`));
  await opened.close();
  expect(has('left.db-wal')).toBeTrue();
  symlinkSync('left.db', file('link.db'));
  const config = readConfig([...DATABASE_SETTINGS], { database: file('link.db') }, {});
  await checkpointLeftoverWal(collectedIo({}).io, config);
  expect(has('left.db-wal')).toBeFalse();
});
