import { Command } from 'commander';
import type { CheckReport, Fault, Maintenance } from '../storage/maintenance.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { MAINTENANCE_SETTINGS } from './database.ts';
import { CommandFailed } from './failures.ts';
import type { Io } from './io.ts';
import { maintenanceOf } from './maintenance.ts';
import { counted } from './output.ts';

interface Flags extends JsonFlag {
  readonly repair?: true;
}

export function checkCommand(io: Io): Command {
  const command = new Command('check')
    .description('look for faults in the stored data, even while the service runs')
    .option('--repair', 'mend wrong counts of animals and wrong folded texts')
    .option(...JSON_FLAG);
  return withSettings(io, command, MAINTENANCE_SETTINGS, async (flags: Flags, config) => {
    const maintenance = maintenanceOf(config);
    const report = await maintenance.check();
    const { faults, warnings } = flags.repair ? await repair(io, maintenance, report) : report;
    for (const warning of warnings) io.message(`animal-store: ${warning}`);
    const messages = faults.map(({ message }) => message);
    if (flags.json) await io.json({ faults: messages, warnings });
    else await io.result(messages.length > 0 ? messages : 'No faults were found.');
    if (messages.length > 0) {
      const count = counted(messages.length, 'fault was', 'faults were');
      throw new CommandFailed(`${count} found.${hintOf(faults)}`);
    }
  });
}

/** What `check --repair` mends is derived from other data. */
const isRepaired = ({ kind }: Fault): boolean => kind === 'counts' || kind === 'texts';

/** Repairs what is wrong, unless the structure has a fault: a damaged database is not written. */
async function repair(io: Io, maintenance: Maintenance, report: CheckReport): Promise<CheckReport> {
  const repairable = report.faults.filter(isRepaired);
  if (repairable.length === 0) return report;
  if (report.faults.some(({ kind }) => kind === 'structure')) {
    io.message('animal-store: Nothing was repaired, because the structure has a fault.');
    return report;
  }
  await maintenance.repair();
  for (const { message } of repairable) io.message(`animal-store: repaired: ${message}`);
  return maintenance.check();
}

/** What to do. A fault of the kind `foreign` says it itself. */
function hintOf(faults: readonly Fault[]): string {
  if (faults.every(isRepaired))
    return ` \`animal-store check --repair\` repairs ${faults.length === 1 ? 'it' : 'them'}.`;
  const needsBackup = faults.some(({ kind }) => kind === 'structure' || kind === 'rows');
  return needsBackup ? ' Stop the service, and restore a backup.' : '';
}
