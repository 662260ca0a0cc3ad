/** The server raises conflicts at every statement and at COMMIT of every kind of write. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { RECORD_LIFETIME_MS } from '../../../src/idempotency/idempotent-requests.ts';
import type { Stores } from '../../../src/storage/database.ts';
import { BY_TEST } from '../../support/cause.ts';
import { startService, type TestService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';
import { rex } from '../animals.ts';
import { newKey } from '../new-key.ts';
import { type Conflicts, type Faults, installConflicts, type Row, rowsOf } from './conflicts.ts';
import { engineOf, failureOf, openScratch, type Scratch } from './scratch.ts';

const START = Date.parse('2027-01-01T00:00:00Z');
const HOLD_MS = 30 * 60_000;
const AVAILABLE = rex({ status: 'available' });

/** The maximum number of retries after a conflict. */
const MAX_CONFLICTS = 5;

let scratch: Scratch;
let service: TestService;
let conflicts: Conflicts;

beforeAll(async () => {
  scratch = await openScratch();
  const role = await scratch.createRole();
  await scratch.sql`ALTER DATABASE ${scratch.sql(scratch.name)} OWNER TO ${scratch.sql(role)}`;
  const options = { connections: 2, apiKeyCacheTtlMs: 600_000, timeoutMs: 20_000 };
  const engine = engineOf(() => scratch.open(options, scratch.roleUrl(role)));
  service = await startService({ engine });
  await fill();
  conflicts = await installConflicts(scratch.sql, scratch.name);
  await scratch.endBackends();
});
afterAll(async () => {
  await service.close();
  await scratch.remove();
});

/** Adds six animals, orders for 3 and 4, two API keys, a category and an idempotency record. */
async function fill(): Promise<void> {
  for (let id = 1; id <= 6; id += 1) await service.addPet(AVAILABLE);
  await service.issueKey();
  await request('PUT', '/v1/categories/7', { body: { name: 'Dogs' } });
  await request('POST', '/v1/store/orders', { body: { petId: 3 } });
  const headers = { 'Idempotency-Key': 'used' };
  await request('POST', '/v1/store/orders', { headers, body: { petId: 4 } });
}

const request: TestService['request'] = (...args) => service.request(...args);

/** Sends a request first, so that the API key is cached: later requests then consist of their transaction only. */
async function prepare(before = ''): Promise<void> {
  await conflicts.reset();
  expect((await request('GET', '/v1/pets')).status).toBe(200);
  await scratch.sql.unsafe(before);
}

/** The same with consecutive numbers as ids because a rolled back transaction skips ids. */
const numbered = (all: Record<string, Row[]>) =>
  Object.entries(all).map(([table, found]) =>
    found.map((row, index) => (table === 'categories' ? row : { ...row, id: index + 1 })),
  );

/** The content of a response, without random values. Its id must be that of a row. */
async function contentOf({ status, json }: TestResponse): Promise<unknown> {
  const { id, key, hint: _hint, ...rest } = (json ?? {}) as Row;
  if (key !== undefined)
    expect((await request('GET', '/v1/pets', { key: String(key) })).status).toBe(200);
  if (id !== undefined) {
    const stored = Object.values(await rowsOf(scratch.sql)).flat();
    expect(stored.map((row) => `${row['id']}`)).toContain(`${id}`);
  }
  return [status, rest];
}

/** Sends a request and then ends the conflicts. */
const sending =
  (method: string, path: string, body?: unknown, headers = {}) =>
  async () => {
    const response = await request(method, path, { headers, body });
    const faults = await conflicts.calm();
    return { content: await contentOf(response), faults };
  };

const writing = (work: (stores: Stores) => unknown) => async () => {
  const result = await service.database.write(BY_TEST, async (stores) => work(stores));
  return { content: result, faults: await conflicts.calm() };
};

interface Write {
  readonly act: () => Promise<{ content: unknown; faults: Faults }>;
  readonly before?: string;
  /** The minimum number of statements. */
  readonly statements: number;
}

const order = (petId: number, status?: string) =>
  sending('POST', '/v1/store/orders', { petId, status });
const move = (status: string) => sending('PATCH', '/v1/store/orders/1', { status });
/** Each order ends at another time: the server may plan a query anew, and then sort equal times differently. */
const end = (status: string) =>
  `UPDATE animal_store.orders SET status = '${status}', ended_at = id`;
const deleteOrders = ({ orders }: Stores) => orders.deleteEndedBefore(START, 10);
const usage = [{ keyId: 1, operationId: 'getPet', calls: 3, lastCalledAt: START }];

const WRITES: Readonly<Record<string, Write>> = {
  'adding an animal': { statements: 1, act: sending('POST', '/v1/pets', AVAILABLE) },
  'adding an animal with an Idempotency-Key': {
    statements: 3,
    act: sending('POST', '/v1/pets', AVAILABLE, { 'Idempotency-Key': 'new' }),
  },
  'changing an animal': { statements: 2, act: sending('PATCH', '/v1/pets/1', { name: 'Mia' }) },
  'removing an animal': { statements: 2, act: sending('DELETE', '/v1/pets/5') },
  'placing an order': { statements: 4, act: order(1) },
  'selling an animal at once': { statements: 4, act: order(1, 'delivered') },
  'returning an order': { statements: 4, before: end('delivered'), act: move('returned') },
  'deleting orders': { statements: 2, before: end('cancelled'), act: writing(deleteOrders) },
  'approving an order': { statements: 4, act: move('approved') },
  'cancelling an order': { statements: 4, act: move('cancelled') },
  'repeating an order': {
    statements: 1,
    act: sending('POST', '/v1/store/orders', { petId: 4 }, { 'Idempotency-Key': 'used' }),
  },
  'expiring orders': {
    statements: 3,
    act: writing(({ orders }) => orders.expire(START + HOLD_MS)),
  },
  'adding a category': { statements: 2, act: sending('PUT', '/v1/categories/8', { name: 'Cats' }) },
  'renaming a category': {
    statements: 2,
    act: sending('PUT', '/v1/categories/7', { name: 'Wolves' }),
  },
  'removing a category': { statements: 2, act: sending('DELETE', '/v1/categories/7') },
  'creating a key': {
    statements: 1,
    act: sending('POST', '/v1/api-keys', { name: 'till', scopes: ['pets:read'] }),
  },
  'rotating a key': {
    statements: 3,
    act: sending('POST', '/v1/api-keys/2/rotate', { gracePeriodSeconds: 60 }),
  },
  'revoking a key': { statements: 2, act: sending('DELETE', '/v1/api-keys/2') },
  'creating the first key': {
    statements: 2,
    before: 'TRUNCATE animal_store.api_keys CASCADE',
    act: writing(async ({ apiKeys }) => {
      const created = await apiKeys.createFirst(newKey('first'));
      return created?.name;
    }),
  },
  'adding usage': { statements: 2, act: writing((stores) => stores.usage.add(usage)) },
  'deleting old usage': {
    statements: 1,
    before: "INSERT INTO animal_store.daily_usage VALUES (1, 'getPet', 3), (3, 'getPet', 3)",
    act: writing((stores) => stores.usage.deleteDaysBefore(2)),
  },
  'deleting idempotency records': {
    statements: 1,
    act: writing(({ idempotencyRecords }) =>
      idempotencyRecords.deleteBefore(START + RECORD_LIFETIME_MS, 10),
    ),
  },
};

/** Both are hidden in one way, so each point has one of them. */
const CONFLICTS = { '40001': 'a serialization failure', '40P01': 'a deadlock' };

describe(`${Object.values(CONFLICTS).join(' or ')} at any point`, () => {
  test.each(Object.entries(WRITES))(
    'of %s is hidden by a retry: response and rows are the same as without it',
    async (_what, { act, before, statements }) => {
      await prepare(before);
      const untouched = numbered(await rowsOf(scratch.sql));
      const attempt = async (at: number) => {
        await prepare(before);
        await conflicts.strike(Object.keys(CONFLICTS)[at % 2] ?? '', at);
        const { content, faults } = await act();
        return { outcome: { content, stored: numbered(await rowsOf(scratch.sql)) }, faults };
      };
      const { outcome, faults } = await attempt(0);
      let [inStatements, atCommit] = [0, 0];
      for (let at = 1; at <= faults.chances; at += 1) {
        const disturbed = await attempt(at);
        expect({ at, ...disturbed.outcome }).toEqual({ at, ...outcome });
        inStatements += disturbed.faults.inStatements;
        atCommit += disturbed.faults.atCommit;
      }
      expect(inStatements + atCommit).toBe(faults.chances);
      expect(inStatements).toBeGreaterThanOrEqual(statements);
      expect(atCommit > 0).toBe(!Bun.deepEquals(outcome.stored, untouched));
    },
  );
});

describe('a repeated conflict', () => {
  beforeEach(() => prepare());
  const addRex = () => service.database.write(BY_TEST, ({ pets }) => pets.create(AVAILABLE));

  test('is retried five times', async () => {
    await conflicts.strike('40001', 1, MAX_CONFLICTS);
    await addRex();
    expect((await conflicts.calm()).inStatements).toBe(MAX_CONFLICTS);
    expect((await rowsOf(scratch.sql))['pets']).toHaveLength(7);
  });

  test('is then reported as unavailable, and nothing is stored', async () => {
    const before = await rowsOf(scratch.sql);
    await conflicts.strike('40001', 1, 1_000);
    const { failure, cause } = await failureOf(addRex());
    expect(failure).toBe('unavailable');
    expect(cause).toMatchObject({ code: '40001' });
    expect((await conflicts.calm()).inStatements).toBe(MAX_CONFLICTS + 1);
    expect(await rowsOf(scratch.sql)).toEqual(before);
  });

  test.each([
    ...['53200', '55P03', '57014', '58030'].map((code) => [code, 'unavailable']),
    ...['53100', '2200H'].map((code) => [code, 'full']),
    ...['42501', '42P01', '3F000', '28000', '3D000'].map((code) => [code, 'refused']),
  ])('or SQLSTATE %s, which is none, is reported as %s', async (code = '', failure = '') => {
    await conflicts.strike(code, 1, 1_000);
    expect(String((await failureOf(addRex())).failure)).toBe(failure);
    expect((await conflicts.calm()).inStatements).toBe(1);
  });

  test('causes a 503, also at COMMIT, and the next request succeeds', async () => {
    const before = await rowsOf(scratch.sql);
    await conflicts.strike('40P01', 2, 1_000);
    const response = await request('POST', '/v1/pets', { body: AVAILABLE });
    expect((await conflicts.calm()).atCommit).toBe(1);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await rowsOf(scratch.sql)).toEqual(before);
    expect((await request('POST', '/v1/pets', { body: AVAILABLE })).status).toBe(201);
  });
});
