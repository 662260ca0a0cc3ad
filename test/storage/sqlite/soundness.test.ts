import { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { hashKey } from '../../../src/api-keys/api-key.ts';
import { type IssuedKey, Keyring } from '../../../src/api-keys/keyring.ts';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { rex } from '../animals.ts';
import { column, openScratch, type Scratch } from './scratch.ts';

const PAGE_BYTES = 4_096;
const KEYS = 12;
const ROUNDS = 200;

const seed = Number(process.env['DAMAGE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function random(state: number): () => number {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const keyring = new Keyring({
  clock: { now: () => Date.parse('2027-01-01T12:00:00Z') },
  environment: 'production',
  randomBytes: (bytes) => crypto.getRandomValues(bytes),
});

let scratch: Scratch;
let issued: IssuedKey[];
let sound: Buffer;
beforeEach(async () => {
  scratch = openScratch();
  const database = openSqlite(scratch.path);
  issued = await database.write(({ apiKeys, pets }) => {
    for (let count = 0; count < 1_000; count += 1) pets.create(rex());
    return Array.from(
      { length: KEYS },
      (_, index) =>
        keyring.create(apiKeys, {
          name: `key ${index}`,
          scopes: SCOPES,
          expiresAt: null,
        }) as IssuedKey,
    );
  });
  await database.close();
  sound = readFileSync(scratch.path);
});
afterEach(() => scratch.remove());

/** The pages of the table of keys and of its index, numbered from 1. */
function pagesOfKeys(): number[] {
  const connection = new Sqlite(scratch.path);
  const pages = column(
    connection,
    "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'api_keys' AND rootpage > 0",
  );
  connection.close(true);
  return pages as number[];
}

/** What becomes of a right key: `valid`, `invalid` (401), or why the file is refused. */
async function fateOf({ secret }: IssuedKey): Promise<string> {
  let database: ReturnType<typeof openSqlite>;
  try {
    database = openSqlite(scratch.path);
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
  try {
    return (await keyring.verify(database.read.apiKeys, secret)) ? 'valid' : 'invalid';
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  } finally {
    await database.close();
  }
}

test(`a right key that never ends is never unknown, whatever bytes of the table of keys are damaged (DAMAGE_SEED=${seed})`, async () => {
  const next = random(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  const pages = pagesOfKeys();
  expect(pages).toHaveLength(2);
  let refused = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = Buffer.from(sound);
    const changed = Array.from({ length: 1 + below(3) }, () => {
      const place = ((pages[below(2)] ?? 0) - 1) * PAGE_BYTES + below(PAGE_BYTES);
      bytes[place] = (bytes[place] ?? 0) ^ (below(2) ? 1 << below(8) : 1 + below(255));
      return place;
    });
    writeFileSync(scratch.path, bytes);
    const key = issued[below(KEYS)] as IssuedKey;
    const fate = await fateOf(key);
    expect({ round, changed, id: key.key.id, fate }).not.toMatchObject({ fate: 'invalid' });
    if (fate !== 'valid') refused += 1;
  }
  expect(refused).toBeGreaterThan(0);
});

describe('a start refuses, in a sentence that says how to restore a backup,', () => {
  const overwrite = (from: number, to: number, byte: number) => {
    const file = openSync(scratch.path, 'r+');
    writeSync(file, Buffer.alloc(to - from, byte), 0, to - from, from);
    closeSync(file);
  };
  test.each<[string, string, () => void]>([
    ['is cut short', 'database disk image is malformed', () => truncateSync(scratch.path, 20_000)],
    ['has garbage for a header', 'not an SQLite database', () => overwrite(0, 100, 0xa5)],
    ['has zeros for its tables of keys', 'page', () => overwrite(PAGE_BYTES, sound.length, 0)],
    [
      'has lost an index',
      'the schema of pets_by_status differs from what this version expects',
      () => {
        const connection = new Sqlite(scratch.path);
        connection.run('DROP INDEX pets_by_status');
        connection.close(true);
      },
    ],
    [
      'has a letter of its schema changed',
      'the schema of api_keys differs from what this version expects',
      () => {
        const place = sound.indexOf('revoked_at');
        overwrite(place, place + 1, 'p'.charCodeAt(0));
      },
    ],
    [
      'has a key that its index does not have',
      'row 1 missing from index sqlite_autoindex_api_keys_1',
      () => {
        const page = sound.subarray(((pagesOfKeys()[1] ?? 0) - 1) * PAGE_BYTES);
        const hash = hashKey(issued[0]?.secret ?? '');
        const place = page.byteOffset - sound.byteOffset + page.indexOf(hash);
        overwrite(place + 31, place + 32, (hash[31] ?? 0) ^ 1);
      },
    ],
  ])('a file that %s', async (_what, why, damage) => {
    damage();
    const before = readFileSync(scratch.path);
    const fate = await fateOf(issued[0] as IssuedKey);
    expect(fate).toContain(why);
    expect(fate).toEndWith(
      `stop everything that uses it, remove ${scratch.path}-wal and ${scratch.path}-shm, put a backup in its place, and start again.`,
    );
    expect(readFileSync(scratch.path).equals(before)).toBeTrue();
    expect(scratch.files()).toEqual(['animals.db']);
  });

  test.each(['empty', 'missing'])(
    'a file that is %s while its changes lie in a WAL',
    async (what) => {
      const connection = scratch.writing();
      connection.run('PRAGMA user_version = 3');
      const wal = readFileSync(`${scratch.path}-wal`);
      connection.close(true);
      scratch.foreign().close(true);
      writeFileSync(scratch.path, '');
      if (what === 'missing') await Bun.file(scratch.path).delete();
      writeFileSync(`${scratch.path}-wal`, wal);
      const fate = await fateOf(issued[0] as IssuedKey);
      expect(fate).toStartWith(
        `${scratch.path} is damaged (it is ${what}, but ${scratch.path}-wal contains changes to it): stop`,
      );
      expect(readFileSync(`${scratch.path}-wal`).equals(wal)).toBeTrue();
    },
  );
});

test('a file with objects that somebody else added is not refused', async () => {
  const connection = new Sqlite(scratch.path);
  connection.run('CREATE INDEX pets_by_name ON pets (name)');
  connection.run('ANALYZE');
  connection.close(true);
  expect(await fateOf(issued[0] as IssuedKey)).toBe('valid');
});
