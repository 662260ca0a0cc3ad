import { Command } from 'commander';
import { operationsOf } from '../app.ts';
import { withSettings } from './command.ts';
import { DATABASE_SETTINGS, withExistingDatabase } from './database.ts';
import { formatTime, printJson, printResult, table } from './output.ts';

/** Whether each operation is stable, beta or deprecated. */
const STANDING = new Map(
  operationsOf(true).map(({ operation }) => [
    operation.id,
    operation.deprecation ? 'deprecated' : (operation.stability ?? 'stable'),
  ]),
);

interface Flags {
  readonly all?: true;
  readonly json?: true;
}

export function usageCommand(): Command {
  const command = new Command('usage')
    .description('show which keys called which operations, how often and when last')
    .option('--all', 'include stable operations, not only deprecated and beta ones')
    .option('--json', 'print the result as JSON');
  return withSettings(command, DATABASE_SETTINGS, async ({ all, json }: Flags, config) => {
    const usage = await withExistingDatabase(config, async (opened) => {
      const entries = (await opened.read.usage.list()).map((entry) => ({
        operation: entry.operationId,
        standing: STANDING.get(entry.operationId) ?? 'removed',
        keyId: entry.keyId,
        keyName: entry.keyName,
        calls: entry.calls,
        lastCalledAt: formatTime(entry.lastCalledAt),
      }));
      return entries.filter((entry) => all || entry.standing !== 'stable');
    });
    if (json) return printJson(usage);
    if (usage.length === 0) {
      return printResult(`No ${all ? '' : 'deprecated or beta '}operation has been called yet.`);
    }
    const rows = usage.map((entry) => [
      entry.operation,
      entry.standing,
      String(entry.keyId),
      entry.keyName,
      String(entry.calls),
      entry.lastCalledAt,
    ]);
    printResult(table(['OPERATION', 'STANDING', 'KEY ID', 'KEY NAME', 'CALLS', 'LAST CALL'], rows));
  });
}
