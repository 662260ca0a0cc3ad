import { Database as Sqlite } from 'bun:sqlite';
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { hashKey } from '../../../src/api-keys/api-key.ts';
import { type IssuedKey, Keyring } from '../../../src/api-keys/keyring.ts';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { RefusedCredential } from '../../../src/http/request/principal.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { createDamageMarker } from '../../../src/storage/sqlite/integrity/damage-marker.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { column, openScratch } from './scratch.ts';

const PAGE_BYTES = 4_096;

const keyring = new Keyring({
  clock: { now: () => Date.parse('2027-01-01T12:00:00Z') },
  environment: 'production',
});

let issued: IssuedKey;
let sound: Buffer;
beforeAll(async () => {
  using filled = openScratch();
  const database = openSqlite(filled.path);
  issued = await database.write(BY_TEST, ({ apiKeys, pets }) => {
    for (let count = 0; count < 1_000; count += 1) pets.create(rex());
    const key = { name: 'till', scopes: SCOPES, expiresAt: null };
    return keyring.create(apiKeys, key) as IssuedKey;
  });
  await database.close();
  sound = readFileSync(filled.path);
});

const scratch = useEach(openScratch);
beforeEach(() => writeFileSync(scratch.path, sound));

/** The root pages of api_keys and its index, numbered from 1. */
function pagesOfKeys(): number[] {
  const connection = new Sqlite(scratch.path);
  const pages = column(
    connection,
    "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'api_keys' AND rootpage > 0",
  );
  connection.close(true);
  return pages as number[];
}

/** `valid` if the file can be opened and the key is accepted, or the reason for which the file is refused. */
async function result(): Promise<string> {
  let database: ReturnType<typeof openSqlite>;
  try {
    database = openSqlite(scratch.path);
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
  const found = await keyring.verify(database.read.apiKeys, issued.secret);
  await database.close();
  return found instanceof RefusedCredential ? 'invalid' : 'valid';
}

describe('opening refuses, with instructions to restore a backup,', () => {
  const overwrite = (from: number, to: number, byte: number) => {
    const file = openSync(scratch.path, 'r+');
    writeSync(file, Buffer.alloc(to - from, byte), 0, to - from, from);
    closeSync(file);
  };
  test.each<[string, string, () => void]>([
    ['is truncated', 'database disk image is malformed', () => truncateSync(scratch.path, 20_000)],
    ['has garbage for a header', 'not an SQLite database', () => overwrite(0, 100, 0xa5)],
    [
      'has zeros in place of api_keys',
      'page',
      () => {
        for (const page of pagesOfKeys()) overwrite((page - 1) * PAGE_BYTES, page * PAGE_BYTES, 0);
      },
    ],
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
      'has a changed letter in its schema',
      'the schema of api_keys differs from what this version expects',
      () => {
        // Pages also contain older copies of the text, which SQLite does not read.
        const text = 'revoked_at';
        for (let at = sound.indexOf(text); at >= 0; at = sound.indexOf(text, at + 1))
          overwrite(at, at + 1, 'p'.charCodeAt(0));
      },
    ],
    [
      'has a key that is missing in its index',
      'row 1 missing from index sqlite_autoindex_api_keys_1',
      () => {
        const page = sound.subarray(((pagesOfKeys()[1] ?? 0) - 1) * PAGE_BYTES);
        const hash = hashKey(issued.secret);
        const offset = page.byteOffset - sound.byteOffset + page.indexOf(hash);
        overwrite(offset + 31, offset + 32, (hash[31] ?? 0) ^ 1);
      },
    ],
  ])('a file that %s', async (_what, why, damage) => {
    damage();
    const before = readFileSync(scratch.path);
    const refusal = await result();
    expect(refusal).toContain(why);
    expect(refusal).toEndWith(
      'stop everything that uses it, restore a backup with `animal-store restore FILE`, and start again.',
    );
    expect(readFileSync(scratch.path).equals(before)).toBeTrue();
    expect(scratch.files()).toEqual(['animals.db']);
  });

  test.each(['empty', 'missing'])(
    'a file that is %s although a WAL contains changes to it',
    async (what) => {
      const connection = scratch.writing();
      connection.run('PRAGMA user_version = 3');
      const wal = readFileSync(`${scratch.path}-wal`);
      connection.close(true);
      scratch.foreign().close(true);
      writeFileSync(scratch.path, '');
      if (what === 'missing') await Bun.file(scratch.path).delete();
      writeFileSync(`${scratch.path}-wal`, wal);
      expect(await result()).toStartWith(
        `${scratch.path} is damaged (the file is ${what}, but ${scratch.path}-wal contains changes to it): stop`,
      );
      expect(readFileSync(`${scratch.path}-wal`).equals(wal)).toBeTrue();
    },
  );
});

test.each(
  ['expires_at', 'revoked_at', 'rotated_until'].flatMap((column) => [
    [column, 0],
    [column, 1],
  ]),
)(
  'opening refuses a key whose %s is %i instead of NULL, which differs by a bit',
  async (column, time) => {
    const connection = new Sqlite(scratch.path);
    connection.run(`UPDATE api_keys SET ${column} = ${time} WHERE id = 1`);
    connection.close(true);
    expect(await result()).toContain('api_keys contains an impossible time');
  },
);

test('opening refuses a file with a marker of damage, and a row of a missing key', async () => {
  const connection = new Sqlite(scratch.path);
  connection.run("INSERT INTO operation_usage VALUES (99, 'listPets', 1, 1)");
  connection.close(true);
  expect(await result()).toBe('valid');
  createDamageMarker(scratch.path, { changesLost: false });
  expect(await result()).toContain('a row refers to a missing API key');
});

test('opening accepts a file with additional objects', async () => {
  const connection = new Sqlite(scratch.path);
  connection.run('CREATE INDEX pets_by_name ON pets (name)');
  connection.run('ANALYZE');
  connection.close(true);
  expect(await result()).toBe('valid');
});
