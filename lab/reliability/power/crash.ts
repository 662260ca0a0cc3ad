import { dirname } from 'node:path';
import type { Random } from '../../../test/support/random.ts';
import type { Disk, Naming, Node, Write } from './disk.ts';

/** What a power failure leaves of what is not certain. */
export interface Loss {
  /** The line of the trace after which the power fails. */
  readonly moment: number;
  /** The chance of each change to survive. */
  readonly chance: number;
  /** Whether the sectors of a write survive one by one. */
  readonly inSectors: boolean;
  /** The chance of each name to survive. Undefined: names survive in their order, as file systems with a journal write them. */
  readonly nameChance: number | undefined;
  /** Whether a file has its new size even if the bytes at its end are lost. */
  readonly keepsSize: boolean;
  /** The files whose syncs do nothing: a planted fault. */
  readonly lies?: (path: string) => boolean;
}

const SECTOR_BYTES = 512;
const CHANCES = [0, 0.1, 0.5, 0.9, 1];

/** The shares of the power failures next to a sync, next to a change of names, and after the end. The others are anywhere. */
const SYNC_SHARE = 0.45;
const NAMING_SHARE = { usually: 0.05, mostly: 0.5 };
const END_SHARE = 0.05;

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

/**
 * A power failure at one of the moments: many next to a sync or a change of names, and a few after the end of the program.
 * @param mostlyNames whether half of them are next to changes of names.
 */
export function chooseLoss(
  { moments, syncs, namingMoments }: Disk,
  mostlyNames: boolean,
  random: Random,
): Loss {
  const naming = END_SHARE + (mostlyNames ? NAMING_SHARE.mostly : NAMING_SHARE.usually);
  const kind = random();
  const at = (): readonly number[] => {
    if (kind < END_SHARE) return [Number.MAX_SAFE_INTEGER];
    if (kind < naming) return namingMoments;
    return kind < naming + SYNC_SHARE * (1 - naming) ? syncs : moments;
  };
  return {
    moment: pick(random, at()),
    chance: pick(random, CHANCES),
    inSectors: random() < 0.5,
    nameChance: random() < 0.5 ? 0.5 : undefined,
    keepsSize: random() < 0.5,
  };
}

export const describeLoss = ({ moment, chance, inSectors, nameChance }: Loss): string =>
  `${moment === Number.MAX_SAFE_INTEGER ? 'after the end' : `line ${moment + 1}`}, chance ${chance} by ${inSectors ? 'sector' : 'write'}, names ${nameChance === undefined ? 'in order' : 'one by one'}`;

/** Whether something that was done is not certain, and may be lost. */
export const canLose = ({ before, namings }: Disk, { moment, chance }: Loss): boolean => {
  const nodes = new Set([...before.values(), ...namings.map(({ node }) => node)]);
  const isOpen = ({ start, certainFrom }: Write | Naming) =>
    start <= moment && certainFrom > moment;
  return (
    chance < 1 && (namings.some(isOpen) || [...nodes].some(({ writes }) => writes.some(isOpen)))
  );
};

/** The files that are there after a power failure, by path. A folder has no content. */
export function filesAfter(
  disk: Disk,
  loss: Loss,
  random: Random,
): Map<string, Buffer | undefined> {
  const names = namesAfter(disk, loss, random);
  const files = new Map<string, Buffer | undefined>();
  for (const [path, node] of names) {
    if (!isReachable(path, names, disk.root)) continue;
    files.set(path, node.isFolder ? undefined : contentAfter(node, path, loss, random));
  }
  return files;
}

/** Whether all folders above a file are there. */
function isReachable(path: string, names: ReadonlyMap<string, Node>, root: string): boolean {
  const folder = dirname(path);
  return folder === root || (names.has(folder) && isReachable(folder, names, root));
}

function namesAfter(disk: Disk, loss: Loss, random: Random): Map<string, Node> {
  const names = new Map(disk.before);
  for (const { node, removes, adds } of survivingNames(disk.namings, loss, random)) {
    if (removes !== undefined && names.get(removes) === node) names.delete(removes);
    if (adds !== undefined) names.set(adds, node);
  }
  return names;
}

function survivingNames(namings: readonly Naming[], loss: Loss, random: Random): Naming[] {
  const begun = namings.filter(({ start }) => start <= loss.moment);
  if (loss.nameChance !== undefined)
    return begun.filter((naming) => survives(naming, loss, random));
  // Names that are older than a certain one are certain, too.
  const certain = begun.findLastIndex((naming) => isCertain(naming, loss, folderOf(naming))) + 1;
  return begun.slice(0, certain + Math.floor(random() * (begun.length - certain + 1)));
}

/** @param path what a sync would make the change certain of. */
const isCertain = (
  { certainFrom }: Write | Naming,
  { moment, lies = () => false }: Loss,
  path: string,
): boolean => certainFrom <= moment && !lies(path);

const survives = (naming: Naming, loss: Loss, random: Random): boolean =>
  isCertain(naming, loss, folderOf(naming)) || random() < (loss.nameChance ?? 1);

const folderOf = ({ adds, removes }: Naming): string => dirname(adds ?? removes ?? '');

function contentAfter(node: Node, path: string, loss: Loss, random: Random): Buffer {
  const content = new Content(node.before, node.writes);
  for (const write of node.writes) {
    if (write.start > loss.moment) continue;
    if (isCertain(write, loss, path)) content.apply(write);
    else applyPart(content, write, loss, random);
  }
  return content.bytes();
}

/** Applies what survives of a write. */
function applyPart(content: Content, write: Write, loss: Loss, random: Random): void {
  const { at, bytes } = write;
  if (bytes === undefined || !loss.inSectors) {
    if (random() < loss.chance) content.apply(write);
    else if (bytes !== undefined && loss.keepsSize) content.extend(at + bytes.length);
    return;
  }
  if (loss.keepsSize) content.extend(at + bytes.length);
  for (let from = at; from < at + bytes.length; ) {
    const to = Math.min(at + bytes.length, (Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    if (random() < loss.chance)
      content.apply({ at: from, bytes: bytes.subarray(from - at, to - at) });
    from = to;
  }
}

/** The bytes of a file while writes are applied to it. */
class Content {
  readonly #bytes: Buffer;
  #size: number;

  constructor(before: Buffer, writes: readonly Write[]) {
    const ends = writes.map(({ at, bytes }) => at + (bytes?.length ?? 0));
    this.#bytes = Buffer.alloc(Math.max(before.length, ...ends));
    this.#bytes.set(before);
    this.#size = before.length;
  }

  apply({ at, bytes }: Pick<Write, 'at' | 'bytes'>): void {
    if (bytes === undefined) this.#resize(at);
    else {
      this.extend(at + bytes.length);
      this.#bytes.set(bytes, at);
    }
  }

  extend(size: number): void {
    this.#size = Math.max(this.#size, size);
  }

  #resize(size: number): void {
    this.#bytes.fill(0, size);
    this.#size = size;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }
}
