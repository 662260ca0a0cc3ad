import type { Command } from 'commander';
import { OPERATIONS } from '../app.ts';
import { commandWith } from './command.ts';
import { withExistingDatabase } from './database.ts';
import { formatTime, printJson, printResult, table } from './output.ts';

const deprecated = new Set(
  OPERATIONS.filter(({ operation }) => operation.deprecation).map(({ operation }) => operation.id),
);

export function usageCommand(): Command {
  const { command, does } = commandWith(
    'usage',
    'tell which keys called which operations, how often and when last',
    ['database'],
  );
  command.option('--all', 'include operations that are here to stay, not only deprecated ones');
  command.option('--json', 'print the result as JSON');
  return does<{ all?: true; json?: true }>(async ({ all, json }, { database }) => {
    const usage = await withExistingDatabase(database, async (opened) => {
      const entries = (await opened.read.usage.list()).map((entry) => ({
        operation: entry.operationId,
        deprecated: deprecated.has(entry.operationId),
        keyId: entry.keyId,
        keyName: entry.keyName,
        calls: entry.calls,
        lastCalledAt: formatTime(entry.lastCalledAt, ''),
      }));
      return entries.filter((entry) => all || entry.deprecated);
    });
    if (json) {
      printJson(usage);
      return;
    }
    if (usage.length === 0) {
      printResult(all ? 'No operation was called yet.' : 'No deprecated operation was called yet.');
      return;
    }
    const rows = usage.map((entry) => [
      entry.deprecated ? `${entry.operation} (deprecated)` : entry.operation,
      String(entry.keyId),
      entry.keyName,
      String(entry.calls),
      entry.lastCalledAt,
    ]);
    printResult(table(['OPERATION', 'KEY ID', 'KEY NAME', 'CALLS', 'LAST CALL'], rows));
  });
}
