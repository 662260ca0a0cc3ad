import type { Command } from 'commander';
import { operationsOf } from '../app.ts';
import { commandWith } from './command.ts';
import { DATABASE_SETTINGS, withExistingDatabase } from './database.ts';
import { formatTime, printJson, printResult, table } from './output.ts';

/** Why an operation is not here to stay as it is, if so. */
const STANDING = new Map(
  operationsOf(true).map(({ operation }) => [
    operation.id,
    operation.deprecation ? 'deprecated' : (operation.stability ?? 'stable'),
  ]),
);

export function usageCommand(): Command {
  const { command, does } = commandWith(
    'usage',
    'tell which keys called which operations, how often and when last',
    DATABASE_SETTINGS,
  );
  command.option(
    '--all',
    'include operations that are here to stay, not only deprecated and beta ones',
  );
  command.option('--json', 'print the result as JSON');
  return does<{ all?: true; json?: true }>(async ({ all, json }, config) => {
    const usage = await withExistingDatabase(config, async (opened) => {
      const entries = (await opened.read.usage.list()).map((entry) => ({
        operation: entry.operationId,
        standing: STANDING.get(entry.operationId) ?? 'removed',
        keyId: entry.keyId,
        keyName: entry.keyName,
        calls: entry.calls,
        lastCalledAt: formatTime(entry.lastCalledAt, ''),
      }));
      return entries.filter((entry) => all || entry.standing !== 'stable');
    });
    if (json) {
      printJson(usage);
      return;
    }
    if (usage.length === 0) {
      printResult(
        all ? 'No operation was called yet.' : 'No deprecated or beta operation was called yet.',
      );
      return;
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
