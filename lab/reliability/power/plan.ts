import { mkdirSync } from 'node:fs';
import { StorageError } from '../../../src/storage/database.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { animalStore, startService } from '../../../test/support/process.ts';
import type { Random } from '../../../test/support/random.ts';
import { controlOfAll, type Outcome, type Trial } from '../trial.ts';
import type { Disk } from './disk.ts';
import { type RecordedFolder, recordedFolder } from './record.ts';
import { type CrashState, enumerate, type Judge } from './states.ts';

/** Records a program in an empty folder. */
export type Recorder = (folder: RecordedFolder, random: Random) => Promise<Recorded>;

/** What was recorded, and what must be true after a power failure at any moment of it. */
export interface Recorded {
  readonly disk: Disk;
  readonly judge: Judge;
  readonly figures: Readonly<Record<string, number>>;
}

/** How a trial of power failures differs from the others. */
export interface Plan extends Pick<Trial, 'promise' | 'method' | 'limitMinutes'> {
  readonly recordings: readonly Recorder[];
  /** The states of all recordings together. */
  readonly states: number;
  /** Whether half of the power failures are next to changes of names. */
  readonly mostlyNames?: boolean;
  /** The files and folders whose syncs do nothing in the control. */
  readonly lies: (path: string) => boolean;
  readonly fault: string;
  /** The failure that names the planted fault. */
  readonly names: RegExp;
}

/** What is recorded, lost and judged in each of these trials. */
export const POWER_LOSS_METHOD =
  'strace records every system call of the program. The power fails at a random one: mostly while it works, often next to a sync or a change of names, sometimes after the end. A change is certain if a sync of its file, or of the folder of its name, began after the change and has ended. Any other change is lost with a chance of 0, 0.1, 0.5, 0.9 or 1, as a whole or by sectors of 512 bytes. Names are lost in their order, or each with a chance of 0.5. The program must open the files that are left. Each resource must have its last acknowledged state or a later one, the inventories must be those of the animals, and the events must rebuild all resources. For one state in 40, the command `check` must also find nothing, and the service must start and stop.';

const WITH_LOSS = 'states in which something was not certain';

const SAMPLE_EVERY = 40;
const CONTROL_STATES = 600;

/** A trial that records programs, and cuts the power at random moments. */
export const powerLossTrial = ({
  recordings,
  states,
  mostlyNames = false,
  lies,
  fault,
  names,
  ...plan
}: Plan): Trial => ({
  ...plan,
  unit: 'simulated power failures',
  isRandomSample: true,
  tools: ['strace'],
  async run({ random, report }): Promise<Outcome> {
    const failures: string[] = [];
    const figures: Record<string, number> = {};
    const found: (readonly string[])[] = [];
    const add = (counts: Readonly<Record<string, number>>) => {
      for (const [what, count] of Object.entries(counts))
        figures[what] = (figures[what] ?? 0) + count;
    };
    for (const record of recordings) {
      const folder = recordedFolder();
      mkdirSync(folder.root);
      try {
        const { figures: added, disk, judge } = await record(folder, random);
        add({ 'recorded moments': disk.moments.length, ...added });
        const of = (count: number) => Math.ceil(count / recordings.length);
        const enumeration = { disk, judge, mostlyNames, random, sampleEvery: SAMPLE_EVERY, report };
        const { faults, withLoss } = await enumerate({ ...enumeration, states: of(states) });
        failures.push(...faults);
        add({ [WITH_LOSS]: withLoss });
        const control = { ...enumeration, states: of(CONTROL_STATES), lies };
        found.push((await enumerate({ ...control, sampleEvery: Number.POSITIVE_INFINITY })).faults);
      } finally {
        folder.remove();
      }
    }
    return {
      trials: states,
      failures,
      control: controlOfAll(
        fault,
        found.map((faults) => faults.find((text) => names.test(text))),
      ),
      figures: {
        ...figures,
        [`failures of the control in ${CONTROL_STATES} states`]: found.flat().length,
      },
    };
  },
});

/** Opens a database as the service does, and closes it. Returns why it was refused. */
export async function refusalOf(path: string): Promise<string | undefined> {
  try {
    await openSqlite(path).close();
    return undefined;
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}

/** The faults that the program finds in a file. Changes nothing. */
export async function checkFaults(path: string): Promise<string[]> {
  try {
    const { faults } = await maintainSqlite(path).check();
    return faults.map(({ message }) => `check: ${message}`);
  } catch (error) {
    if (error instanceof StorageError) return [`check: ${error.message}`];
    throw error;
  }
}

/** Runs the command `check` and the service on the files of a state. @param exists whether there is a catalogue to check. */
export async function programFaults(
  state: CrashState,
  database: string,
  exists = true,
): Promise<string[]> {
  const path = state.path(database);
  state.reset();
  const checked = exists ? await animalStore(['check', '--database', path]) : undefined;
  const faults = checked?.status ? [`the command check: ${checked.stdout}${checked.stderr}`] : [];
  state.reset();
  try {
    const service = await startService(path, ['--log-level', 'error']);
    const { status: stopped } = await service.stop();
    return stopped === 0 ? faults : [...faults, `the service stopped with status ${stopped}`];
  } catch (error) {
    return [...faults, (error as Error).message];
  }
}
