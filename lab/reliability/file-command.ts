import { animalStore, commandOf, type Workplace } from '../../test/support/process.ts';
import { type Content, contentOf } from './content.ts';
import type { Effect } from './effect.ts';
import { copyPlace } from './file-places.ts';
import { type Attempt, type KilledCommand, killedCommand } from './killed-command.ts';
import { type Call, describeCall, killBefore, recordCalls } from './system-calls.ts';

/** A command that changes rows in one transaction. */
export interface Transaction {
  readonly name: string;
  readonly args: readonly string[];
  readonly effect: Effect;
  /** Whether it can be run again after it had its effect. */
  readonly isRepeatable?: boolean;
}

/** A command on an SQLite file in a place of its own. */
interface FileCommand {
  readonly name: string;
  readonly fault: string;
  readonly names: RegExp;
  /** Creates the place that each attempt copies. */
  readonly prepare: () => Promise<Workplace> | Workplace;
  readonly args: (place: Workplace) => readonly string[];
  /** What the killed command left in files. Receives a copy of the place, and what was in the files before. */
  readonly inspect: (place: Workplace, before: Content) => Promise<Finding>;
  /** The files that may be left, besides those of before. */
  readonly leaves: RegExp;
  /** Runs the command again as its documentation says, and judges the result. */
  readonly again: (place: Workplace, before: Content, finding: Finding) => Promise<string[]>;
  readonly plant: (place: Workplace) => void;
}

export interface Finding {
  readonly state: 'unchanged' | 'complete' | 'between';
  readonly problems: readonly string[];
}

/** The files of an open database, and those that SQLite has while it writes. */
const OF_DATABASE = String.raw`(?:animals|target)\.db(?:-wal|-shm|-journal)?`;

/** What `restore` keeps of the replaced database. */
export const REPLACED = String.raw`animals\.db-replaced-[^-]*(?:-wal)?`;

/** Runs a command, and fails unless it succeeds. */
export async function succeed(args: readonly string[]): Promise<string[]> {
  const { status, stderr } = await animalStore(args);
  return status === 0 ? [] : [`run again, it fails: ${stderr.trim()}`];
}

/** A command with the file of a killed service, or one of the first version. */
export function onFile(command: FileCommand): KilledCommand {
  let prepared: Promise<{ place: Workplace; before: Content }> | undefined;
  const prepare = async () => {
    const place = await command.prepare();
    const copy = await copyPlace(place);
    const before = await contentOf(copy.database);
    copy.remove();
    return { place, before };
  };
  const commandIn = (place: Workplace) => commandOf(...command.args(place));
  const attempt = async (): Promise<Attempt<Call>> => {
    prepared ??= prepare();
    const { place: original, before } = await prepared;
    const place = await copyPlace(original);
    const known = new Set(place.files());
    const leftOver = (allowed: RegExp) =>
      place
        .files()
        .filter((name) => !known.has(name) && !allowed.test(name))
        .map((name) => `the file ${name} is left`);
    return {
      kill: (call) => killBefore(call, commandIn(place), { cwd: place.path }),
      async judge() {
        const leavings = leftOver(new RegExp(`^(?:${OF_DATABASE}|${command.leaves.source})$`));
        const copy = await copyPlace(place);
        const finding = await command.inspect(copy, before).finally(copy.remove);
        const again = await command.again(place, before, finding);
        const rest = leftOver(new RegExp(`^(?:${OF_DATABASE}|${REPLACED})$`));
        return [...leavings, ...finding.problems, ...again, ...rest];
      },
      plant: () => command.plant(place),
      remove: place.remove,
    };
  };
  return killedCommand({
    name: `${command.name} on SQLite`,
    fault: command.fault,
    names: command.names,
    describe: describeCall,
    attempt,
    async steps() {
      const { remove } = await attempt();
      remove();
      const place = await copyPlace((await prepared)?.place as Workplace);
      const calls = await recordCalls(commandIn(place), place.file('trace'), { cwd: place.path });
      place.remove();
      return calls;
    },
  });
}
