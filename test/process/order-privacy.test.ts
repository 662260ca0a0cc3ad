/**
 * The reference and the note of an order may name a person. No log, metric, message of a command or response of somebody else contains
 * them, whatever fails. The log is written at its lowest level.
 */
import { Database as Sqlite } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import { scrape } from '../support/metrics.ts';
import { animalStore, bearer, commandOf, startCommand, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { logged } from './logged.ts';

const place = useEach(workplace);

/** In every text that a request of this test sends. */
const CANARY = 'Canary';
const REFERENCE = `${CANARY}-ref`;
const NOTE = `${CANARY} note\nfor Ann`;
const TEXTS = { reference: REFERENCE, note: NOTE };
const FLAGS = ['--log-level', 'debug', '--metrics-port', '0'];
const VARIABLES = { DATABASE_TIMEOUT: '3s', ORDER_RETENTION: '1d' };

const start = (database: string) =>
  startCommand(commandOf('serve', '--database', database, '--port', '0', ...FLAGS), {
    variables: VARIABLES,
    showsKey: false,
  });

/** Returns a function that sends a request, and returns the status of its response. */
const sender =
  (origin: string, key: string) =>
  async (method: string, path: string, content?: unknown, own: Record<string, string> = {}) => {
    const headers = { ...bearer(key).headers, 'Content-Type': 'application/json', ...own };
    const body = typeof content === 'string' ? content : JSON.stringify(content);
    const response = await fetch(`${origin}/v1${path}`, { method, headers, body });
    await response.arrayBuffer();
    return response.status;
  };
type Send = ReturnType<typeof sender>;

const ORDERS = '/store/orders';

/** Every operation that takes or returns the texts, with every way in which a request can fail. */
async function sendEverything(send: Send): Promise<void> {
  const expectStatus = async (status: number, ...request: Parameters<Send>) =>
    expect([request.slice(0, 2), await send(...request)]).toEqual([request.slice(0, 2), status]);
  for (let count = 0; count < 4; count += 1)
    await send('POST', '/pets', { name: 'Rex', categoryId: 1, status: 'available' });
  const traced = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  const strict = { Prefer: 'handling=strict' };
  const once = { 'Idempotency-Key': 'one' };
  const sale = { petId: 2, status: 'delivered', ...TEXTS };
  await expectStatus(201, 'POST', ORDERS, { petId: 1, ...TEXTS }, traced);
  await expectStatus(201, 'POST', ORDERS, sale, once);
  await expectStatus(201, 'POST', ORDERS, sale, once);
  await expectStatus(422, 'POST', ORDERS, { ...sale, note: CANARY }, once);
  await expectStatus(409, 'POST', ORDERS, { petId: 1, ...TEXTS });
  await expectStatus(400, 'POST', ORDERS, { petId: 999, ...TEXTS });
  await expectStatus(400, 'POST', ORDERS, { petId: 3, reference: `${REFERENCE}\u001b` });
  await expectStatus(400, 'POST', ORDERS, { petId: 3, note: NOTE.repeat(100) });
  await expectStatus(400, 'POST', ORDERS, {
    petId: 3,
    status: CANARY,
    reference: { name: CANARY },
  });
  await expectStatus(400, 'POST', ORDERS, { petId: 3, ...TEXTS, [CANARY]: CANARY }, strict);
  await expectStatus(400, 'POST', ORDERS, `{"petId":3,"reference":"${REFERENCE}"`);
  await expectStatus(400, 'POST', ORDERS, `{"petId":3,"note":"${CANARY}\\u0000"}`);
  await expectStatus(413, 'POST', ORDERS, { petId: 3, note: CANARY.repeat(200_000) });
  await expectStatus(415, 'POST', ORDERS, TEXTS, { 'Content-Type': `text/${CANARY}` });
  const order = `${ORDERS}/1`;
  await expectStatus(200, 'PATCH', order, { ...TEXTS, reference: `${REFERENCE} 2` });
  await expectStatus(409, 'PATCH', order, { ...TEXTS, status: 'returned' });
  await expectStatus(400, 'PATCH', order, { ...TEXTS, status: 'shipped' });
  await expectStatus(400, 'PATCH', order, { id: 9, ...TEXTS });
  await expectStatus(400, 'PATCH', order, { note: `${CANARY}\r` });
  await expectStatus(404, 'PATCH', `${ORDERS}/999`, TEXTS);
  await expectStatus(412, 'PATCH', order, TEXTS, { 'If-Match': '"old"' });
  await expectStatus(200, 'PATCH', `${ORDERS}/2`, { ...TEXTS, status: 'returned' });
  const found = `${ORDERS}?reference=${encodeURIComponent(REFERENCE)}`;
  for (let time = 0; time < 3; time += 1) await expectStatus(200, 'GET', found);
  await expectStatus(200, 'GET', `${found}&createdAfter=2026-01-01T00:00:00Z&sort=-id&limit=1`);
  await expectStatus(200, 'GET', `${ORDERS}/1`);
  await expectStatus(400, 'GET', `${found}&limit=0`);
  await expectStatus(400, 'GET', `${found}&cursor=${CANARY}`);
  await expectStatus(400, 'GET', `${found}&${CANARY}=${CANARY}`, undefined, strict);
  await expectStatus(400, 'GET', `${ORDERS}?reference=${CANARY}%00`);
  await expectStatus(401, 'GET', found, undefined, { Authorization: 'Bearer nobody' });
  await expectStatus(405, 'DELETE', `${order}?reference=${CANARY}`);
  await expectStatus(404, 'GET', `/store/${CANARY}`);
}

/** Sends what fails while the storage is broken. */
function failEverything(send: Send): Promise<number[]> {
  const sale = { petId: 4, status: 'delivered', ...TEXTS };
  return Promise.all([
    send('POST', ORDERS, sale),
    send('POST', ORDERS, sale, { 'Idempotency-Key': 'two' }),
    send('PATCH', `${ORDERS}/1`, { ...TEXTS, note: `${NOTE}!` }),
    send('GET', `${ORDERS}?reference=${CANARY}`),
  ]);
}

/** Stops a service, and expects the canary in nothing that it has written. */
async function expectNothingWritten(service: Awaited<ReturnType<typeof start>>) {
  const { text } = await scrape(service);
  const { stdout, stderr } = await service.stop();
  expect(logged(stdout, 'request').length).toBeGreaterThan(40);
  expect(logged(stdout, 'request_failed')).not.toEqual([]);
  for (const written of [text, stdout, stderr]) expect(written).not.toContain(CANARY);
}

/** Runs each command on the database, and expects the canary in no output. */
async function expectNothingPrinted(database: string, commands: readonly string[][]) {
  for (const command of commands) {
    const { stdout, stderr } = await animalStore([...command, '--database', database]);
    expect([command, `${stdout}${stderr}`.includes(CANARY)]).toEqual([command, false]);
    expect(`${stdout}${stderr}`).not.toBe('');
  }
}

const COMMANDS =
  'check, check --json, status, status --json, migrate, migrate --check, export, export --format csv, usage --all, keys list'
    .split(', ')
    .map((command) => command.split(' '));

/** Orders that `check` must name. */
const FAULTS = [
  'UPDATE orders SET ended_at = NULL WHERE id = 2',
  'UPDATE orders SET created_at = 9223372036854775807, pet_id = 4000000000000000000 WHERE id = 1',
];

describe('the canary is in no log, metric or message', () => {
  test('with SQLite', async () => {
    const { database, file } = place;
    const key = await createKey(database);
    const service = await start(database);
    const send = sender(service.origin, key);
    await sendEverything(send);
    const other = new Sqlite(database);
    other.run('PRAGMA busy_timeout = 10000'); // The service writes, too.
    other.run(
      "CREATE TRIGGER broken BEFORE INSERT ON orders BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    other.run(
      "CREATE TRIGGER broken_too BEFORE UPDATE ON orders BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    expect(await failEverything(send)).toEqual([500, 500, 500, 200]);
    other.run('DROP TRIGGER broken; DROP TRIGGER broken_too; ALTER TABLE orders RENAME TO gone');
    expect(await failEverything(send)).toEqual([503, 503, 503, 503]);
    other.run('ALTER TABLE gone RENAME TO orders');
    await expectNothingWritten(service);
    await expectNothingPrinted(database, [
      ...COMMANDS,
      ['backup', file('copy.db')],
      ['backup', file('copy.db')],
    ]);
    for (const fault of FAULTS) other.run(fault);
    other.close();
    await expectNothingPrinted(database, [['check'], ['check', '--json']]);
  });

  test('with PostgreSQL', async () => {
    const { file } = place;
    await using scratch = await openMigratedScratch();
    const key = await createKey(scratch.url);
    const service = await start(scratch.url);
    const send = sender(service.origin, key);
    await sendEverything(send);
    const { sql } = scratch;
    // The server repeats the whole row in the detail of its error.
    await sql`ALTER TABLE animal_store.orders ADD CONSTRAINT broken CHECK (id < 0) NOT VALID`;
    expect(await failEverything(send)).toEqual([500, 500, 500, 200]);
    await sql`ALTER TABLE animal_store.orders DROP CONSTRAINT broken`;
    await sql`ALTER TABLE animal_store.orders RENAME COLUMN note TO remark`;
    expect(await failEverything(send)).toEqual([500, 500, 500, 500]);
    await sql`ALTER TABLE animal_store.orders RENAME COLUMN remark TO note`;
    await sql.begin(async (holder) => {
      await holder`LOCK TABLE animal_store.orders IN ACCESS EXCLUSIVE MODE`;
      expect(await failEverything(send)).toEqual([503, 503, 503, 503]);
    });
    await expectNothingWritten(service);
    await expectNothingPrinted(scratch.url, COMMANDS);
    const copied = await animalStore(['copy', '--from', scratch.url, '--to', file('copy.db')]);
    const again = await animalStore(['copy', '--from', scratch.url, '--to', file('copy.db')]);
    for (const { status, stdout, stderr } of [copied, again])
      expect([status, `${stdout}${stderr}`.includes(CANARY)]).toEqual([0, false]);
    for (const fault of FAULTS) await sql.unsafe(fault.replace('orders', 'animal_store.orders'));
    await expectNothingPrinted(scratch.url, [['check'], ['check', '--json']]);
  });
});
