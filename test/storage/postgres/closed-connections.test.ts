/** A connection that the server closes says why. */
import { expect, test } from 'bun:test';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Connection } from '../../../src/storage/postgres/connections/connection.ts';
import { deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import { listenForReason } from '../../../src/storage/postgres/connections/last-words.ts';
import { until } from '../../support/process.ts';
import { useScratch } from './scratch.ts';

const scratch = useScratch();

const CLOSED = 'the server closed the connection: terminating connection due to';

const connect = () =>
  new Connection({ url: scratch.url, prepared: true, serverTimeoutMs: undefined });

test('if it closes it during a statement', async () => {
  const statement = connect().query('SELECT pg_sleep(60)', [], deadlineIn(60_000));
  const failure = statement.catch(String);
  await until(async () => (await scratch.backends('Timeout')).length === 1);
  await scratch.endBackends();
  expect(await failure).toContain(`${CLOSED} administrator command`);
});

test('if this program ends it, at its deadline or when it is idle', async () => {
  const connection = connect();
  const slow = connection.query('SELECT pg_sleep(600)', [], deadlineIn(600_000));
  const failure = slow.catch(String);
  await connection.end(deadlineIn(1));
  expect(await failure).toContain('ConnectionLost');
  const idle = connect();
  await idle.query('SELECT 1', [], deadlineIn(60_000));
  await idle.end(deadlineIn(1_000_000_000));
});

test('if it closes it between two statements, to those that follow', async () => {
  const connection = connect();
  const begin = 'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 1';
  await connection.query(begin, [], deadlineIn(10_000));
  await until(async () => !connection.isOpen);
  const next = connection.query('SELECT 1', [], deadlineIn(10_000));
  await expect(next).rejects.toThrow(`${CLOSED} idle-in-transaction timeout`);
});

test('in the form of PgBouncer, and before a panic', () => {
  const socket = new EventEmitter();
  const findReason = listenForReason(socket as Socket);
  const say = (...fields: readonly string[]) => {
    const head = Buffer.from('E\0\0\0\0');
    const body = Buffer.from(`${fields.join('\0')}\0\0`);
    head.writeInt32BE(4 + body.length, 1);
    socket.emit('data', Buffer.concat([head, body]));
    return findReason()?.message;
  };
  expect(say('SFATAL', 'Mbye')).toBe('the server closed the connection: bye');
  expect(say('SPANIK', 'VPANIC', 'Mbye')).toEndWith(': bye');
  expect(say('SFATAL', 'VERROR', 'Mbye')).toBeUndefined();
  socket.emit('data', Buffer.from('No message, and the LETTER E'));
  expect(findReason()).toBeUndefined();
});
