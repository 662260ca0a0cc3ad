import { Command } from 'commander';
import { JSON_FLAG, type JsonFlag, withSqliteFile } from './command.ts';
import { tellDisabledEndpoints } from './disabled-endpoints.ts';
import type { Io } from './io.ts';
import { copying, describeCopy } from './maintenance.ts';

export function restoreCommand(io: Io): Command {
  const command = new Command('restore')
    .description(
      'replace an SQLite database that is not in use by a backup, and keep the replaced file',
    )
    .argument('<file>', 'the backup')
    .option(...JSON_FLAG);
  return withSqliteFile(io, command, async ({ json }: JsonFlag, database, [file = '']) => {
    const files = { source: file, target: database, undone: 'Nothing was restored.' };
    const result = await copying(io, database, files, (backups, options) =>
      backups.restore(file, options),
    );
    const { bytes, rows, schema, replaced, disabledEndpoints } = result;
    if (json) {
      await io.json({ bytes, schemaVersion: schema.stored, rows, replaced: replaced ?? null });
      return;
    }
    io.message(`Restored ${describeCopy(result)} from ${file} to ${database}.`);
    tellDisabledEndpoints(io, disabledEndpoints);
    if (schema.stored !== schema.current)
      io.message(`The next start migrates it from schema ${schema.stored} to ${schema.current}.`);
    if (replaced !== undefined)
      io.message(
        `The replaced ${replaced.endsWith('-wal') ? 'WAL' : 'database'} is in ${replaced}. Remove it when you do not need it.`,
      );
  });
}
