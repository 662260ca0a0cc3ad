import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  animalStore,
  bearer,
  eventNames,
  inWorkplace,
  parseLog,
  postPet,
  type RunningService,
  startCommand,
  startService,
  TEST_LIMIT_MS,
  until,
  withService,
} from '../support/process.ts';
import { Connection, newPetRequest, saysClose, startWriters } from './connection.ts';

function namesIn(database: string): string[] {
  const connection = new Database(database, { readonly: true });
  try {
    return connection
      .query<{ name: string }, []>('SELECT name FROM pets')
      .all()
      .map(({ name }) => name);
  } finally {
    connection.close();
  }
}

const lastLine = (stdout: string) => parseLog(stdout).at(-1)?.['event.name'];

/** Resolves when the service no longer takes connections: the stop has begun. */
async function untilClosedToNew(origin: string): Promise<void> {
  for (;;) {
    const connection = await Connection.open(origin);
    if (connection === undefined) return;
    connection.close();
    await sleep(2);
  }
}

/** Sends a request whose body is not all there yet. Returns what finishes it. */
async function beginRequest(service: RunningService, name: string) {
  const connection = await Connection.open(service.origin);
  if (connection === undefined) throw new Error('nobody listens');
  const request = newPetRequest(service.firstKey ?? '', name);
  connection.send(request.slice(0, -5));
  // The answer to a later request tells that the first bytes have arrived as well.
  await fetch(`${service.origin}/livez`);
  return {
    connection,
    finish() {
      connection.send(request.slice(-5));
      return connection.answer();
    },
  };
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(
    `${signal} under load: status 0, what was answered 201 is in the file and nothing else, and the log ends with "stopped"`,
    inWorkplace(async ({ database, files }) => {
      await withService(await startService(database), async (service) => {
        const { origin, firstKey: key = '' } = service;
        const { written, finished } = startWriters({ origin, key }, 16);
        await until(() => written.acknowledged.size >= 500);
        service.signal(signal);
        const { status, stdout } = await service.ended();
        await finished;
        expect(status).toBe(0);
        expect(files()).toEqual(['animals.db']);
        // An animal that is there without an answer was accepted, and its answer cut off.
        expect(namesIn(database).sort()).toEqual([...written.acknowledged.keys()].sort());
        expect(written.refused).toEqual([]);
        expect(written.duplicateIds).toEqual([]);
        expect(eventNames(stdout)).toEqual([
          'server_started',
          'shutdown_started',
          'shutdown_finished',
        ]);
        expect(lastLine(stdout)).toBe('shutdown_finished');
        const created = parseLog(stdout).filter(
          (line) => line['http.response.status_code'] === 201,
        );
        expect(created.length).toBe(written.acknowledged.size);
      });
    }),
    TEST_LIMIT_MS,
  );
}

test(
  'a request that is under way when the stop begins is answered, and the answer says that the connection closes',
  inWorkplace(async ({ database }) => {
    await withService(await startService(database), async (service) => {
      const request = await beginRequest(service, 'Rex');
      service.signal('SIGTERM');
      await untilClosedToNew(service.origin);
      const answer = await request.finish();
      expect(answer?.status).toBe(201);
      const { status } = await service.ended();
      expect(status).toBe(0);
      expect(namesIn(database)).toEqual(['Rex']);
      expect(answer && saysClose(answer)).toBeTrue();
    });
  }),
  TEST_LIMIT_MS,
);

test(
  'connections that are kept alive without a request do not hold up the stop',
  inWorkplace(async ({ database }) => {
    await withService(await startService(database), async (service) => {
      const idle = await Connection.open(service.origin);
      idle?.send(newPetRequest(service.firstKey ?? '', 'Rex'));
      expect((await idle?.answer())?.status).toBe(201);
      const { status, stdout } = await service.stop();
      expect(status).toBe(0);
      expect(eventNames(stdout)).not.toContain('drain_timeout');
    });
  }),
  TEST_LIMIT_MS,
);

test(
  'a request that never ends holds up the stop no longer than --shutdown-timeout, which the log tells',
  inWorkplace(async ({ database, files }) => {
    const service = await startService(database, ['--shutdown-timeout', '100ms']);
    await withService(service, async () => {
      const request = await beginRequest(service, 'Rex');
      const { status, stdout } = await service.stop();
      expect(status).toBe(0);
      const timedOut = parseLog(stdout).find((line) => line['event.name'] === 'drain_timeout');
      expect(timedOut?.['http.server.active_requests']).toBe(1);
      expect(lastLine(stdout)).toBe('shutdown_finished');
      expect(await request.connection.answer()).toBeUndefined();
      expect(files()).toEqual(['animals.db']);
      expect(namesIn(database)).toEqual([]);
    });
  }),
  TEST_LIMIT_MS,
);

test(
  'a second signal ends the service at once, with status 1',
  inWorkplace(async ({ database }) => {
    await withService(await startService(database), async (service) => {
      await beginRequest(service, 'Rex');
      service.signal('SIGTERM');
      await untilClosedToNew(service.origin);
      service.signal('SIGINT');
      expect((await service.ended()).status).toBe(1);
    });
  }),
  TEST_LIMIT_MS,
);

test(
  'the stop writes down how often each operation was called, exactly',
  inWorkplace(async ({ database }) => {
    await withService(await startService(database), async (service) => {
      const { origin, firstKey: key = '' } = service;
      for (let call = 0; call < 7; call += 1) await fetch(`${origin}/v1/pets`, bearer(key));
      for (let call = 0; call < 5; call += 1) {
        await postPet(origin, key, { name: `Rex ${call}`, categoryId: 1 });
      }
      for (let call = 0; call < 3; call += 1) await fetch(`${origin}/v1/pets/1`, bearer(key));
      await service.stop();
    });
    const flags = ['--json', '--database', database];
    const all = await animalStore(['usage', '--all', ...flags]);
    const calls = (JSON.parse(all.stdout) as { operation: string; calls: number }[]).map(
      (entry) => [entry.operation, entry.calls],
    );
    expect(calls).toEqual([
      ['createPet', 5],
      ['getPet', 3],
      ['listPets', 7],
    ]);
    const deprecated = await animalStore(['usage', ...flags]);
    expect(JSON.parse(deprecated.stdout)).toEqual([
      expect.objectContaining({ operation: 'getPet', standing: 'deprecated', keyId: 1, calls: 3 }),
    ]);
  }),
  TEST_LIMIT_MS,
);

test(
  'npm start stops in good order on the SIGTERM that npm gets',
  inWorkplace(async ({ database, files }) => {
    const flags = ['--port', '0', '--database', database];
    const npm = await startCommand(['npm', 'start', '--silent', '--', ...flags]);
    const children = childrenOf(npm.pid);
    try {
      await withService(npm, async () => {
        const { stdout } = await npm.stop();
        expect(lastLine(stdout)).toBe('shutdown_finished');
        expect(files()).toEqual(['animals.db']);
      });
    } finally {
      for (const pid of children) {
        if (childrenOf(npm.pid).includes(pid)) process.kill(pid, 'SIGKILL');
      }
    }
  }),
  TEST_LIMIT_MS,
);

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
