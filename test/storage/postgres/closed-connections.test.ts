/** A connection that the server closes says why. */
import { expect, test } from 'bun:test';
import { Connection } from '../../../src/storage/postgres/connections/connection.ts';
import { deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import { BY_TEST } from '../../support/cause.ts';
import { until } from '../../support/process.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { failureOf, openMigratedScratch } from './scratch.ts';

const scratch = useEach(openMigratedScratch);

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

test('if it closes it between two statements, to those that follow', async () => {
  const connection = connect();
  const begin = 'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 1';
  await connection.query(begin, [], deadlineIn(10_000));
  await until(async () => !connection.isOpen);
  const next = connection.query('SELECT 1', [], deadlineIn(10_000));
  await expect(next).rejects.toThrow(`${CLOSED} idle-in-transaction timeout`);
});

test('in the sentence of a command', async () => {
  const { transfer } = await scratch.open();
  const imports = await transfer.beginImport(() => BY_TEST);
  await imports.add([rex()]);
  await scratch.endBackends();
  const { failure, message } = await failureOf(Promise.resolve(imports.commit()));
  expect(failure).toBe('unavailable');
  expect(message).toBe(`The database cannot be reached: ${CLOSED} administrator command.`);
});
