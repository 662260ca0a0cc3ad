import { writeFileSync } from 'node:fs';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Transaction } from './file-command.ts';
import type { KilledCommand } from './killed-command.ts';
import { COPY_TO_SERVER, MIGRATE_SERVER, transactionOnServer } from './postgres-commands.ts';
import { BACKUP, COPY, MIGRATE, RESTORE, transactionOnFile } from './sqlite-commands.ts';
import { controlOfAll, type Outcome, type Trial } from './trial.ts';

const IMPORTED = 300;

function animalsFile(): string {
  const path = temporaryFolder({ inMemory: true }).file('animals.csv');
  const rows = Array.from({ length: IMPORTED }, (_, index) => `animal ${index},${index % 7}\n`);
  writeFileSync(path, `name,categoryId\n${rows.join('')}`);
  return path;
}

const importOf = (file: string): Transaction => ({
  name: 'import',
  args: ['import', file],
  effect: { adds: { pets: IMPORTED, events: 1 } },
});

const KEYS: readonly Transaction[] = [
  {
    name: 'keys create',
    args: ['keys', 'create', '--name', 'web shop'],
    effect: { adds: { api_keys: 1, events: 1 } },
  },
  {
    name: 'keys rotate',
    args: ['keys', 'rotate', '1'],
    effect: { adds: { api_keys: 1, events: 2 }, changes: { api_keys: 1 } },
  },
  {
    name: 'keys revoke',
    args: ['keys', 'revoke', '1'],
    effect: { adds: { events: 1 }, changes: { api_keys: 1 } },
    isRepeatable: true,
  },
];

const onBoth = (transactions: readonly Transaction[]) =>
  transactions.flatMap((transaction): KilledCommand[] => [
    transactionOnFile(transaction),
    transactionOnServer(transaction),
  ]);

/** What is done in each of these trials. */
export const KILLED_COMMANDS_METHOD =
  'Each command is run once to the end, on the file of a killed service, and strace records its system calls that change files, except for those that create one. It is then run again for each of these calls, and killed before it. On PostgreSQL, it is killed when each part of its data has reached the server. Every result is judged, and the command is run again as its documentation says. `copy` from PostgreSQL was not tried.';

const trial = (
  promise: string,
  method: string,
  commands: () => readonly KilledCommand[],
): Trial => ({
  promise,
  method,
  unit: 'kills',
  isRandomSample: false,
  tools: ['strace'],
  limitMinutes: 30,
  async run({ random, report }): Promise<Outcome> {
    const failures: string[] = [];
    const figures: Record<string, number> = {};
    const findings: (string | undefined)[] = [];
    const faults: string[] = [];
    for (const command of commands()) {
      const { kills, steps, finding, ...found } = await command.killAtEachStep(random);
      failures.push(...found.failures);
      figures[`kills of ${command.name} (of ${steps} steps)`] = kills;
      findings.push(finding);
      if (finding === undefined) report(`${command.name}: the fault was not found`);
      faults.push(`${command.name}: ${command.fault}`);
      report(`${command.name}: ${kills} kills, ${found.failures.length} failures`);
    }
    const trials = Object.values(figures).reduce((sum, count) => sum + count, 0);
    const control = controlOfAll(faults.join('; '), findings);
    return { trials, failures, control, figures };
  },
});

/** `kill -9` of each command at each of its steps. */
export const KILLED_COMMANDS: Readonly<Record<string, Trial>> = {
  'kill-import': trial(
    'A killed `import` stores all animals of its file, or none.',
    'The catalogue must be as before, or have all animals and one event.',
    () => onBoth([importOf(animalsFile())]),
  ),
  'kill-backup': trial(
    'A killed `backup` leaves the earlier backup or a complete new one, and the database as it was.',
    'The backup, the database and the names of the files in the folder are compared.',
    () => [BACKUP],
  ),
  'kill-restore': trial(
    'A killed `restore` loses neither the old database nor the backup.',
    `A start must find the old database or the backup, or refuse with the advice to run the restore again. After that, the database must be equal to the backup, and a replaced file to the old database.`,
    () => [RESTORE],
  ),
  'kill-migrate': trial(
    'A killed `migrate` loses no row, and the next one completes it.',
    'A database of the first version is migrated. The second run must lead to the same rows as one without a kill.',
    () => [MIGRATE, MIGRATE_SERVER],
  ),
  'kill-copy': trial(
    'A killed `copy` leaves a complete target or an empty one, and the source as it was.',
    'The source is a file, the target a file or PostgreSQL. The second run must complete the target.',
    () => [COPY, COPY_TO_SERVER],
  ),
  'kill-keys': trial(
    'A killed `keys create`, `rotate` or `revoke` has its whole effect, or none.',
    'The numbers of keys, changed keys and events must be as before, or as after the command.',
    () => onBoth(KEYS),
  ),
};
