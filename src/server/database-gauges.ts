import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { shareRuns } from '../maybe-promise.ts';
import { type MetricFamily, single } from '../observe/metrics/families.ts';
import type { Database } from '../storage/database.ts';

/** A worker must respond to a scrape within a second. */
const PATIENCE_MS = 500;

/** Reads the metrics that are in the database, at a scrape: nobody else needs them. */
export class DatabaseGauges {
  #last: readonly MetricFamily[] = [];

  constructor(
    readonly database: Pick<Database, 'read' | 'lastBackupAt'>,
    readonly clock: Clock,
    readonly patienceMs = PATIENCE_MS,
  ) {}

  /** If the database does not respond in time, or fails, the values are those of the scrape before. */
  readonly collect = async (): Promise<readonly MetricFamily[]> => {
    await Promise.race([
      this.#read().catch(() => {}),
      sleep(this.patienceMs, undefined, { ref: false }),
    ]);
    return this.#last;
  };

  /** Scrapes share a read that has no result yet. */
  readonly #read = shareRuns(async () => {
    const { database, clock } = this;
    const expiry = await database.read.apiKeys.nextExpiry(clock.now());
    const backup = await database.lastBackupAt();
    this.#last = [
      ...(expiry === undefined
        ? []
        : [single('animal_store_api_key_next_expiry_timestamp_seconds', expiry / 1_000)]),
      ...(backup === undefined
        ? []
        : [single('animal_store_last_backup_timestamp_seconds', (backup ?? 0) / 1_000)]),
    ];
  });
}
