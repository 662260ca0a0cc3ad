import { isUsable } from '../api-keys/api-key.ts';
import { systemClock } from '../clock.ts';
import { isLoopback } from '../config/base-urls.ts';
import type { Config } from '../config/config.ts';
import { type Database, StorageError } from '../storage/database.ts';

const BATCH = 1_000;

/**
 * A warning if other machines can reach the service and API keys never expire; else undefined. Also undefined if the database
 * fails during the check. The start then continues and shows the first key, which cannot be shown later.
 */
export async function neverExpiringKeysWarning(
  database: Database,
  { host }: Pick<Config, 'host'>,
): Promise<string | undefined> {
  if (isLoopback(host)) return undefined;
  try {
    return warningOf(await countNeverExpiringKeys(database));
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

/** The number of usable keys that never expire. */
async function countNeverExpiringKeys({ read }: Database): Promise<number> {
  const now = systemClock.now();
  let count = 0;
  let lastId: number | undefined;
  do {
    const keys = await read.apiKeys.list(lastId, BATCH);
    count += keys.filter((key) => key.expiresAt === null && isUsable(key, now)).length;
    lastId = keys.length === BATCH ? keys.at(-1)?.id : undefined;
  } while (lastId !== undefined);
  return count;
}

function warningOf(count: number): string | undefined {
  if (count === 0) return undefined;
  const which = count === 1 ? '1 API key never expires' : `${count} API keys never expire`;
  return `${which}. Create keys with an expiry (keys create --expires 90d), and revoke the others.`;
}
