import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { JSON_FLAG, type JsonFlag, withSqliteFile } from './command.ts';
import { UsageError } from './failures.ts';
import type { Io } from './io.ts';
import { copying, describeCopy } from './maintenance.ts';

interface Flags extends JsonFlag {
  readonly replace?: true;
}

export function backupCommand(io: Io): Command {
  const command = new Command('backup')
    .description(
      'write a complete, verified copy of an SQLite database, even while the service runs',
    )
    .argument('<file>', 'the file to write')
    .option('--replace', 'replace the file if it exists')
    .option(...JSON_FLAG);
  return withSqliteFile(io, command, async (flags: Flags, database, [file = '']) => {
    if (file === '-') throw new UsageError('A backup is verified in its file: name a file.');
    const replace = flags.replace === true;
    const files = { source: database, target: file, undone: 'Nothing was backed up.' };
    const result = await copying(io, database, files, (backups, options) =>
      backups.backUp(file, { ...options, replace, now: () => systemClock.now() }),
    );
    const { bytes, rows, schema } = result;
    if (flags.json) await io.json({ file, bytes, schemaVersion: schema.stored, rows });
    else io.message(`Backed up ${describeCopy(result)} to ${file}, and verified the copy.`);
  });
}
