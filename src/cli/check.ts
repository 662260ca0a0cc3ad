import { Command } from 'commander';
import type { CheckReport, Fault, Maintenance } from '../storage/maintenance.ts';
import { JSON_FLAG, type JsonFlag, withSettings } from './command.ts';
import { MAINTENANCE_SETTINGS } from './database.ts';
import { CommandFailed } from './failures.ts';
import { maintenanceOf } from './maintenance.ts';
import { printJson, printMessage, printResult } from './output.ts';

interface Flags extends JsonFlag {
  readonly repairCounts?: true;
  readonly repairSearch?: true;
}

/** What repairs the faults of one kind. */
interface Repair {
  readonly kind: Fault['kind'];
  readonly flag: Exclude<keyof Flags, 'json'>;
  readonly option: string;
  /** What is wrong, as the subject of a sentence. */
  readonly subject: string;
  readonly run: (maintenance: Maintenance) => unknown;
}

const REPAIRS: readonly Repair[] = [
  {
    kind: 'counts',
    flag: 'repairCounts',
    option: '--repair-counts',
    subject: 'The counts were',
    run: (maintenance) => maintenance.recount(),
  },
  {
    kind: 'names',
    flag: 'repairSearch',
    option: '--repair-search',
    subject: 'The index of names was',
    run: (maintenance) => maintenance.rebuildNames(),
  },
];

export function checkCommand(): Command {
  const command = new Command('check')
    .description('look for faults in the stored data, even while the service runs')
    .option('--repair-counts', 'count the animals again if the inventory is wrong')
    .option('--repair-search', 'build the index of names anew if it is wrong')
    .option(...JSON_FLAG);
  return withSettings(command, MAINTENANCE_SETTINGS, async (flags: Flags, config) => {
    const { faults, warnings } = await checkAndRepair(
      maintenanceOf(config),
      REPAIRS.filter(({ flag }) => flags[flag]),
    );
    for (const warning of warnings) printMessage(`animal-store: ${warning}`);
    const messages = faults.map(({ message }) => message);
    if (flags.json) printJson({ faults: messages, warnings });
    else printResult(messages.length > 0 ? messages : 'No faults were found.');
    if (messages.length > 0) {
      const count = messages.length === 1 ? '1 fault was' : `${messages.length} faults were`;
      throw new CommandFailed(`${count} found.${hintOf(faults)}`);
    }
  });
}

const hasFault = ({ faults }: Pick<CheckReport, 'faults'>, kind: Fault['kind']): boolean =>
  faults.some((fault) => fault.kind === kind);

/** Repairs what is wrong, unless the structure has a fault: a damaged database is not written. */
async function checkAndRepair(
  maintenance: Maintenance,
  repairs: readonly Repair[],
): Promise<CheckReport> {
  const report = await maintenance.check();
  const needed = repairs.filter(({ kind }) => hasFault(report, kind));
  if (needed.length === 0) return report;
  if (hasFault(report, 'structure')) {
    for (const { subject } of needed)
      printMessage(`animal-store: ${subject} not repaired, because the structure has a fault.`);
    return report;
  }
  for (const { kind, run } of needed) {
    await run(maintenance);
    for (const fault of report.faults)
      if (fault.kind === kind) printMessage(`animal-store: repaired: ${fault.message}`);
  }
  return maintenance.check();
}

/** The command that repairs the faults, if there is one for all of them. */
function hintOf(faults: readonly Fault[]): string {
  if (!faults.every(({ kind }) => REPAIRS.some((repair) => repair.kind === kind))) return '';
  const options = REPAIRS.filter(({ kind }) => hasFault({ faults }, kind)).map(
    ({ option }) => option,
  );
  return ` \`animal-store check ${options.join(' ')}\` repairs ${faults.length === 1 ? 'it' : 'them'}.`;
}
