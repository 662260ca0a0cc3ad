import { closeSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiKey, NewApiKey } from '../api-keys/api-key.ts';
import type { Keyring } from '../api-keys/keyring.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { commandCause } from '../events/command-cause.ts';
import { SCOPES } from '../http/contract/scopes.ts';
import { chain } from '../maybe-promise.ts';
import type { Observe } from '../observe/observation.ts';
import { type Database, StorageError } from '../storage/database.ts';
import { syncFolderOf } from '../storage/sync-folder.ts';
import { StartupError } from './startup-error.ts';

const REQUEST = { name: 'first key', scopes: SCOPES, expiresAt: null };

const byServe = () => commandCause('serve', systemClock);

/** The first key, to be shown, or the file that contains it. */
export type FirstKey = { readonly secret: string } | { readonly file: string };

/**
 * Creates a key with all scopes if the database contains no key. Returns undefined otherwise.
 * @throws StartupError if the file exists or cannot be written. No key is created then.
 */
export async function createFirstKey(
  database: Database,
  keyring: Keyring,
  { firstKeyFile: file }: Config,
  observe: Observe,
): Promise<FirstKey | undefined> {
  // Nearly every start ends here, without a transaction, and without asking for the name of the user.
  if (await hasKeys(database)) return undefined;
  if (file === undefined) {
    const issued = await database.write(byServe(), ({ apiKeys }) =>
      keyring.createFirst(apiKeys, REQUEST),
    );
    if (issued === undefined) return undefined;
    reportFirst(issued.key, observe);
    return { secret: issued.secret };
  }
  const { secret, stored } = keyring.generate(REQUEST);
  // The file is written first, so that no key is created that cannot be delivered.
  try {
    writeKeyFile(file, secret);
  } catch (error) {
    if (await hasKeysSoon(database, file)) return undefined;
    throw error;
  }
  const key = await storeFirstKey(database, stored, file);
  if (key !== undefined) {
    reportFirst(key, observe);
    return { file };
  }
  // Another instance created the first key in the meantime.
  rmSync(file);
  return undefined;
}

const reportFirst = ({ id, name, scopes }: ApiKey, observe: Observe): void =>
  observe({
    kind: 'api_key_created',
    keyId: id,
    keyName: name,
    scopes,
    expiresAt: undefined,
    reason: 'first start',
  });

const hasKeys = async (database: Database): Promise<boolean> =>
  (await database.read.apiKeys.list(undefined, 1)).length > 0;

const MAX_START_MS = 5000;
const CHECK_INTERVAL_MS = 50;

/** Whether another instance, which starts simultaneously and has just created the file, stores its key. */
async function hasKeysSoon(database: Database, file: string): Promise<boolean> {
  const createdMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // The clock of a shared folder may be ahead.
  const endMs = Math.min(createdMs, systemClock.now()) + MAX_START_MS;
  do {
    if (await hasKeys(database)) return true;
    await sleep(CHECK_INTERVAL_MS);
  } while (systemClock.now() < endMs);
  return false;
}

/**
 * Stores the key if the database contains none. Returns undefined if it contains another one. Removes the file
 * on an error after which the key is certainly not stored.
 */
async function storeFirstKey(
  database: Database,
  key: NewApiKey,
  file: string,
): Promise<ApiKey | undefined> {
  try {
    return await database.write(
      byServe(),
      ({ apiKeys }) => chain(apiKeys.createFirst(key), () => apiKeys.findByHash(key.hash)),
      { isRepeatable: true },
    );
  } catch (error) {
    // A commit without a response may still be executed, even after a read that does not find the key.
    const isCommitUnknown = error instanceof StorageError && error.failure === 'unavailable';
    if (!isCommitUnknown) rmSync(file);
    throw error;
  }
}

/** Writes a key to a new file with mode 0600, and returns after the file is on disk. */
function writeKeyFile(path: string, secret: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw cannotWriteKey(path, error);
  }
  try {
    writeFileSync(descriptor, `${secret}\n`);
    fsyncSync(descriptor);
    syncFolderOf(path);
  } catch (error) {
    rmSync(path);
    throw cannotWriteKey(path, error);
  } finally {
    closeSync(descriptor);
  }
}

function cannotWriteKey(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  return new StartupError(
    error.code === 'EEXIST'
      ? `${path} already exists, so the first API key was not created: remove the file, or choose another one.`
      : `The first API key was not created because it cannot be written to ${path}: ${error.message}.`,
  );
}
