import { isUsable } from '../api-keys/api-key.ts';
import { systemClock } from '../clock.ts';
import { isLoopback } from '../config/base-urls.ts';
import type { Config } from '../config/config.ts';
import { type Database, StorageError } from '../storage/database.ts';

const BATCH = 1_000;

/**
 * Warnings of what the settings and the database together make unsafe, or not work. None if the database fails during the check:
 * the start then continues and shows the first key, which cannot be shown later.
 */
export async function startWarnings(
  database: Database,
  config: Pick<Config, 'host' | 'extensions' | 'webhookSecretKeys'>,
): Promise<string[]> {
  try {
    return [
      ...(isLoopback(config.host) ? [] : warningsOf(await countNeverExpiringKeys(database))),
      ...(config.extensions && config.webhookSecretKeys === undefined
        ? await unsignedWebhooks(database)
        : []),
    ];
  } catch (error) {
    if (error instanceof StorageError) return [];
    throw error;
  }
}

async function unsignedWebhooks({ read }: Database): Promise<string[]> {
  const endpoints = await read.webhooks.listEndpoints(undefined, 1);
  return endpoints.map(
    () =>
      'There are webhook endpoints, but without WEBHOOK_SECRET_KEY they get nothing. Set the key that sealed their secrets.',
  );
}

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

function warningsOf(count: number): string[] {
  if (count === 0) return [];
  const which = count === 1 ? '1 API key never expires' : `${count} API keys never expire`;
  return [
    `${which}. Create keys with an expiry (keys create --expires 90d), and revoke the others.`,
  ];
}
