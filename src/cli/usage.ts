import { Command } from 'commander';
import { operationsOf } from '../app.ts';
import { systemClock } from '../clock.ts';
import { firstUsageDay, formatDay, USAGE_DAYS } from '../observe/usage.ts';
import type { Database } from '../storage/database.ts';
import { type Lifecycle, lifecycleAmong } from '../usage/lifecycle.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { DATABASE_SETTINGS, withExistingDatabase } from './database.ts';
import type { Io } from './io.ts';
import { formatTime, table } from './output.ts';

const lifecycleOf = lifecycleAmong(operationsOf(true).map(({ operation }) => operation));

interface Flags extends JsonFlag {
  readonly all?: true;
  readonly days?: true;
}

/** A row of the result. Its fields are the columns, in their order. */
interface Entry {
  readonly operation: string;
  readonly lifecycle: Lifecycle;
}

export function usageCommand(io: Io): Command {
  const command = new Command('usage')
    .description('show which keys called which operations, how often and when last')
    .option('--all', 'include stable operations, not only deprecated and beta ones')
    .option('--days', `show the calls by all keys on each of the last ${USAGE_DAYS} days (UTC)`)
    .option(...JSON_FLAG);
  return withSettings(
    io,
    command,
    DATABASE_SETTINGS,
    async ({ all, days, json }: Flags, config) => {
      const read: (database: Database) => Promise<Entry[]> = days ? readDays : readKeys;
      const usage = (await withExistingDatabase(io, config, read)).filter(
        ({ lifecycle }) => all || lifecycle !== 'stable',
      );
      if (json) return io.json(usage);
      if (usage.length === 0) {
        const when = days ? `was called in the last ${USAGE_DAYS} days` : 'has been called yet';
        return io.result(`No ${all ? '' : 'deprecated or beta '}operation ${when}.`);
      }
      const rows = usage.map((entry) => Object.values(entry).map(String));
      return io.result(table(days ? DAY_HEADINGS : KEY_HEADINGS, rows));
    },
  );
}

const KEY_HEADINGS = ['OPERATION', 'LIFECYCLE', 'KEY ID', 'KEY NAME', 'CALLS', 'LAST CALL'];

async function readKeys({ read }: Database) {
  return (await read.usage.list()).map((entry) => ({
    operation: entry.operationId,
    lifecycle: lifecycleOf(entry.operationId),
    keyId: entry.keyId,
    keyName: entry.keyName,
    calls: entry.calls,
    lastCalledAt: formatTime(entry.lastCalledAt),
  }));
}

const DAY_HEADINGS = ['OPERATION', 'LIFECYCLE', 'DATE', 'CALLS'];

async function readDays({ read }: Database) {
  return (await read.usage.listDays(firstUsageDay(systemClock.now()))).map((entry) => ({
    operation: entry.operationId,
    lifecycle: lifecycleOf(entry.operationId),
    date: formatDay(entry.day),
    calls: entry.calls,
  }));
}
