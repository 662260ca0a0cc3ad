import { Command } from 'commander';
import type { CheckReport, Maintenance } from '../storage/maintenance.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { DATABASE_SETTINGS } from './database.ts';
import { CommandFailed } from './failures.ts';
import { maintenanceOf } from './maintenance.ts';
import { printJson, printMessage, printResult } from './output.ts';

interface Flags extends JsonFlag {
  readonly repairCounts?: true;
}

export function checkCommand(): Command {
  const command = new Command('check')
    .description('look for faults in the stored data, even while the service runs')
    .option('--repair-counts', 'count the animals again if the inventory is wrong')
    .option(...JSON_FLAG);
  return withSettings(command, DATABASE_SETTINGS, async (flags: Flags, config) => {
    const maintenance = maintenanceOf(config);
    const { faults, warnings } = await (flags.repairCounts
      ? repairCounts(maintenance)
      : maintenance.check());
    for (const warning of warnings) printMessage(`animal-store: ${warning}`);
    const messages = faults.map(({ message }) => message);
    if (flags.json) printJson({ faults: messages, warnings });
    else printResult(messages.length > 0 ? messages : 'No faults were found.');
    if (messages.length > 0) {
      const count = messages.length === 1 ? '1 fault was' : `${messages.length} faults were`;
      throw new CommandFailed(`${count} found.`);
    }
  });
}

/** Repairs wrong counts, unless there are other faults: a damaged database is not written. */
async function repairCounts(maintenance: Maintenance): Promise<CheckReport> {
  const report = await maintenance.check();
  if (!report.faults.some(({ kind }) => kind === 'counts')) return report;
  if (report.faults.some(({ kind }) => kind === 'structure')) {
    printMessage('animal-store: The counts were not repaired, because the structure has a fault.');
    return report;
  }
  await maintenance.recount();
  for (const { kind, message } of report.faults)
    if (kind === 'counts') printMessage(`animal-store: repaired: ${message}`);
  return maintenance.check();
}
