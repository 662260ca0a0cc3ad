import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../test/support/process.ts';
import type { Random } from '../../../test/support/random.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { canLose, chooseLoss, describeLoss, filesAfter, type Loss } from './crash.ts';
import type { Disk } from './disk.ts';

/** The files that a power failure left. */
export interface CrashState {
  readonly loss: Loss;
  /** The path that a file of the recorded folder has here. */
  path(name: string): string;
  /** Writes the files again, as the power failure left them. */
  reset(): void;
}

/** Says what is wrong with a state. It may change the files. @param sample whether to run programs that take long. */
export type Judge = (state: CrashState, isSample: boolean) => string[] | Promise<string[]>;

interface Enumeration {
  readonly disk: Disk;
  readonly judge: Judge;
  readonly states: number;
  /** One state in so many is a sample. */
  readonly sampleEvery: number;
  /** Whether half of the power failures are next to changes of names. */
  readonly mostlyNames: boolean;
  readonly random: Random;
  /** Files whose syncs do nothing, for the control. */
  readonly lies?: (path: string) => boolean;
  readonly report?: (text: string) => void;
}

const KEPT_STATES = 5;
const FILE_MODE = { mode: 0o600 };
const INDEX_BYTES = 32_768;

/** Shared memory is never synced: anything may be there, or nothing. */
const anyIndex = (random: Random): Buffer | undefined =>
  random() < 0.5
    ? Buffer.from(Uint8Array.from({ length: INDEX_BYTES }, () => random() * 256))
    : undefined;

/** The marker of a restore contains a path, which must be in the folder of the state. */
const withPaths = (content: Buffer, name: string, recorded: string, here: string): Buffer =>
  name.endsWith('-restoring') ? Buffer.from(`${content}`.replace(recorded, here)) : content;

interface Enumerated {
  /** A sentence for each state with a fault. */
  readonly faults: readonly string[];
  /** How many states could lose something that was not certain. */
  readonly withLoss: number;
}

/** Cuts the power at random moments, and judges what is left. */
export async function enumerate(enumeration: Enumeration): Promise<Enumerated> {
  const {
    disk,
    judge,
    states,
    sampleEvery,
    mostlyNames,
    random,
    lies,
    report = () => {},
  } = enumeration;
  const folder = temporaryFolder({ inMemory: true, runsPrograms: true });
  const faults: string[] = [];
  let withLoss = 0;
  try {
    for (let number = 1; number <= states; number += 1) {
      const loss = { ...chooseLoss(disk, mostlyNames, random), ...(lies && { lies }) };
      const state = stateOf(disk, loss, random, folder.path);
      state.reset();
      if (canLose(disk, loss)) withLoss += 1;
      const found = await judge(state, number % sampleEvery === 0);
      if (found.length > 0) {
        const [first, ...others] = found;
        const more = others.length > 0 ? `, and ${others.length} more faults` : '';
        const where = lies === undefined ? keep(state, faults.length) : '';
        faults.push(`${describeLoss(loss)}: ${first}${more}${where}`);
      }
      if (number % 500 === 0) report(`${number} states, ${faults.length} failures`);
    }
  } finally {
    folder.remove();
  }
  return { faults, withLoss };
}

function stateOf(disk: Disk, loss: Loss, random: Random, folder: string): CrashState {
  const path = (name: string) => join(folder, name);
  const index = anyIndex(random);
  const files = [...filesAfter(disk, loss, random)].map(([name, content]) => ({
    target: path(name.slice(disk.root.length)),
    content: name.endsWith('-shm') ? index : content && withPaths(content, name, disk.root, folder),
    isFolder: content === undefined,
  }));
  // The order gives them their times of change.
  if (random() < 0.5) files.reverse();
  return {
    loss,
    path,
    reset() {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
      for (const { target, content, isFolder } of files) {
        mkdirSync(isFolder ? target : dirname(target), { recursive: true });
        if (content !== undefined) writeFileSync(target, content, FILE_MODE);
      }
    },
  };
}

/** Keeps the first failed states, because no second recording is the same. */
function keep(state: CrashState, failures: number): string {
  if (failures >= KEPT_STATES) return '';
  const target = join(ROOT, 'lab/.cache/reliability', `power-loss-${Date.now()}-${failures}`);
  state.reset();
  cpSync(state.path(''), target, { recursive: true });
  return ` (files in ${target.slice(ROOT.length)})`;
}
