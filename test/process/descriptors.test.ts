/** A process without file descriptors cannot accept connections, and the runtime says nothing: the log does. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import {
  commandOf,
  inWorkplace,
  type LogLine,
  parseLog,
  startCommand,
  TEST_LIMIT_MS,
  until,
  withService,
} from '../support/process.ts';

const LIMIT = 60;

const open = (port: number, count: number): Socket[] =>
  Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));

test.skipIf(process.platform !== 'linux')(
  'descriptors that are low, exhausted and available again have one line for each, with their number and the limit',
  inWorkplace(async ({ database, file }) => {
    const log = file('log');
    const service = await startCommand([
      'sh',
      '-c',
      `ulimit -n ${LIMIT} && exec "$@" > ${log}`,
      'sh',
      ...commandOf('serve', '--port', '0', '--database', database),
    ]);
    await withService(service, async ({ origin, pid, stop }) => {
      const lines = () =>
        parseLog(readFileSync(log, 'utf8')).filter((line) => /^descriptors/.test(eventOf(line)));
      const isLogged = (event: string) => until(() => lines().map(eventOf).includes(event));
      const port = Number(new URL(origin).port);
      const sockets = open(port, LIMIT * 0.9 + 1 - readdirSync(`/proc/${pid}/fd`).length);
      await until(() => sockets.every(({ readyState }) => readyState === 'open'));
      await isLogged('descriptors_low');
      sockets.push(...open(port, 20));
      await isLogged('descriptors_exhausted');
      for (const socket of sockets) socket.destroy();
      await isLogged('descriptors_available');
      expect((await fetch(`${origin}/readyz`)).status).toBe(200);
      expect((await stop()).status).toBe(0);
      expect(lines().map(eventOf)).toEqual([
        'descriptors_low',
        'descriptors_exhausted',
        'descriptors_available',
      ]);
      for (const line of lines()) {
        expect(line['animal_store.process.file_descriptor.limit']).toBe(LIMIT);
      }
      const [low, exhausted, available] = lines().map((line) =>
        Number(line['process.unix.file_descriptor.count']),
      );
      expect(low).toBeLessThan(LIMIT - 3);
      expect(exhausted).toBeGreaterThan(LIMIT - 4);
      expect(available).toBeLessThan(LIMIT * 0.8);
    });
  }),
  TEST_LIMIT_MS,
);

const eventOf = (line: LogLine): string => String(line['event.name']);
