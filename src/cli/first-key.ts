import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewApiKey } from '../api-keys/api-key.ts';
import type { Config } from '../config/config.ts';
import { SCOPES } from '../http/contract/scopes.ts';
import { chain } from '../maybe-promise.ts';
import { type Database, StorageError } from '../storage/database.ts';
import { CommandFailed } from './failures.ts';
import { keyringOf } from './keys.ts';

const REQUEST = { name: 'first key', scopes: SCOPES, expiresAt: null };

/** The first key: itself, to be shown, or the file that it was written to. */
export type FirstKey = { readonly secret: string } | { readonly file: string };

/** Makes the first key, with all scopes, if there is none at all. */
export async function makeFirstKey(
  database: Database,
  { environment, firstKeyFile: file }: Config,
): Promise<FirstKey | undefined> {
  const keyring = keyringOf(environment);
  if (file === undefined) {
    const made = await database.write(({ apiKeys }) => keyring.createFirst(apiKeys, REQUEST));
    return made && { secret: made.secret };
  }
  if (await hasKeys(database)) return undefined;
  const { secret, stored } = keyring.generate(REQUEST);
  // The file comes first: a key that cannot be delivered is not made.
  try {
    writeKeyFile(file, secret);
  } catch (error) {
    if (existsSync(file) && (await hasKeysSoon(database))) return undefined;
    throw error;
  }
  if (await storeFirst(database, stored, file)) return { file };
  // Another instance made the first key meanwhile.
  rmSync(file);
  return undefined;
}

const hasKeys = async (database: Database): Promise<boolean> =>
  (await database.read.apiKeys.list(undefined, 1)).length > 0;

const LOOKS = 10;
const BETWEEN_LOOKS_MS = 50;

/** Whether another instance, which starts at the same moment and has made the file, stores its key. */
async function hasKeysSoon(database: Database): Promise<boolean> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (await hasKeys(database)) return true;
    await sleep(BETWEEN_LOOKS_MS);
  }
  return false;
}

/** Stores the key if there is none at all. When it throws and the key is certainly not stored, the file is gone, too. */
async function storeFirst(database: Database, key: NewApiKey, file: string): Promise<boolean> {
  try {
    const found = await database.write(
      ({ apiKeys }) => chain(apiKeys.createFirst(key), () => apiKeys.findByHash(key.hash)),
      { isRepeatable: true },
    );
    return found !== undefined;
  } catch (error) {
    // A commit whose answer did not come may still be carried out, even after a look that does not find the key.
    const isUnknown = error instanceof StorageError && error.failure === 'unavailable';
    if (!isUnknown) rmSync(file);
    throw error;
  }
}

/** Writes a key to a new file that only its owner can read, and returns once the file is on disk. */
function writeKeyFile(path: string, secret: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw notWritten(path, error);
  }
  try {
    writeFileSync(descriptor, `${secret}\n`);
    fsyncSync(descriptor);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(path);
    throw notWritten(path, error);
  } finally {
    closeSync(descriptor);
  }
}

/** The name of a new file is on disk once its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function notWritten(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  return new CommandFailed(
    error.code === 'EEXIST'
      ? `${path} exists already, and there is no API key yet: remove it, or name another file. The first key does not overwrite it.`
      : `The first key cannot be written to ${path}: ${error.message}. It was not made.`,
  );
}
