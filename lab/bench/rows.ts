import { createWriteStream, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CACHE_FOLDER } from './paths.ts';

/** The rows of the catalogue, the same for every server. The id of a row is its number, from 1. */
export interface RowsFile {
  /** NDJSON: one `{name, categoryId, status?}` per line. */
  readonly path: string;
  readonly count: number;
}

/** The size of the catalogue, except in `growth` and `start`. */
export const ANIMALS = 100_000;

/** Each is the beginning of every ninth name. */
export const KINDS = [
  'Adelie',
  'Chinstrap',
  'Gentoo',
  'Rex',
  'Mia',
  'Bruno',
  'Luna',
  'Kitty',
  'Søren',
];
/** Half of the animals are available; one in ten has no status. */
const STATUSES = [
  ...Array<string>(5).fill('"available"'),
  '"pending"',
  '"pending"',
  '"sold"',
  '"sold"',
  undefined,
];
/** Categories have the ids from 1 to this. */
export const CATEGORIES = 50;

/** A pseudo-random number that depends on the row alone (Knuth's multiplicative hash). */
const pseudoRandom = (row: number): number => Math.imul(row, 2_654_435_761) >>> 8;

const NAME_ENDING = ' of the northern islands';

/** The name of the animal of a row. */
export const nameOf = (row: number): string => `${KINDS[pseudoRandom(row) % KINDS.length]} ${row}`;

/** @param nameLength the name is made at least this long. */
function renderRow(row: number, nameLength: number): string {
  const random = pseudoRandom(row);
  const name = nameOf(row).padEnd(nameLength, NAME_ENDING);
  const status = STATUSES[(random >>> 4) % STATUSES.length];
  const rest = status === undefined ? '' : `,"status":${status}`;
  return `{"name":"${name}","categoryId":${1 + (random % CATEGORIES)}${rest}}\n`;
}

const BATCH_ROWS = 10_000;

/** The rows as NDJSON, in batches. */
async function* renderRows(count: number, nameLength: number): AsyncGenerator<Uint8Array> {
  for (let first = 1; first <= count; first += BATCH_ROWS) {
    let text = '';
    const end = Math.min(first + BATCH_ROWS, count + 1);
    for (let row = first; row < end; row += 1) text += renderRow(row, nameLength);
    yield Buffer.from(text);
  }
}

/** The file with this many rows, created at its first use. Names have at least `nameLength` characters. */
export async function rowsFile(count: number, nameLength = 0): Promise<RowsFile> {
  const kind = nameLength === 0 ? '' : `-names-${nameLength}`;
  const path = join(CACHE_FOLDER, `animals-${count}${kind}.ndjson`);
  if (!existsSync(path)) {
    await pipeline(Readable.from(renderRows(count, nameLength)), createWriteStream(`${path}.part`));
    renameSync(`${path}.part`, path);
  }
  return { path, count };
}

/** All ids in a pseudo-random order that is always the same (Fisher–Yates), or a sample of them. */
export function shuffledIds(count: number, sample = count): Uint32Array {
  let state = 20_261_121;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  if (sample < count) return Uint32Array.from({ length: sample }, () => 1 + random(count));
  const ids = Uint32Array.from({ length: count }, (_, index) => index + 1);
  for (let index = count - 1; index > 0; index -= 1) {
    const other = random(index + 1);
    const id = ids[index] ?? 0;
    ids[index] = ids[other] ?? 0;
    ids[other] = id;
  }
  return ids;
}
