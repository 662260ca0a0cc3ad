import type { Clock } from '../clock.ts';
import { type MetricFamily, single } from '../observe/metrics/families.ts';
import type { Database } from '../storage/database.ts';
import type { WebhookReader } from '../webhooks/webhook-store.ts';
import { lastValue } from './last-value.ts';

/** Reads the metrics that are in the database, at a scrape: only scrapes need them. */
export const databaseGauges = (
  database: Pick<Database, 'read' | 'lastBackupAt'>,
  clock: Clock,
): (() => Promise<readonly MetricFamily[]>) =>
  lastValue<readonly MetricFamily[]>([], async () => {
    const expiry = await database.read.apiKeys.nextExpiry(clock.now());
    const backup = await database.lastBackupAt();
    return [
      ...(expiry === undefined
        ? []
        : [single('animal_store_api_key_next_expiry_timestamp_seconds', expiry / 1_000)]),
      ...(backup === undefined
        ? []
        : [single('animal_store_last_backup_timestamp_seconds', (backup ?? 0) / 1_000)]),
    ];
  });

/** The same of webhooks. */
export const webhookGauges = (
  webhooks: Pick<WebhookReader, 'totals'>,
  clock: Clock,
): (() => Promise<readonly MetricFamily[]>) =>
  lastValue<readonly MetricFamily[]>([], async () => {
    const now = clock.now();
    const { disabled, oldestDueAt } = await webhooks.totals(now);
    return [
      single('animal_store_webhook_endpoints_disabled', disabled),
      single('animal_store_webhook_oldest_due_age_seconds', (now - (oldestDueAt ?? now)) / 1_000),
    ];
  });
