/** An unknown name, and the known name that was probably meant. */
export interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** Short names resemble many other words, as HOST resembles HOME. */
const SHORT_LENGTH = 5;

const maxEdits = (known: string): number => (known.length <= SHORT_LENGTH ? 1 : 2);

/**
 * Finds the names that resemble a known name, ignoring case. A known name among the names is not misspelt: names that resemble
 * it belong to another program.
 */
export function findMisspellings(
  names: readonly string[],
  known: readonly string[],
): Misspelling[] {
  const unset = known.filter((name) => !names.includes(name));
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name.toUpperCase(), unset);
      return meant === undefined ? [] : [{ name, meant }];
    });
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const characters = charactersOf(name);
  // Nearly all names differ in more characters. To compare them would take a sixth of a start.
  const similar = known.filter(
    (other) => countBits(characters ^ charactersOf(other)) <= 2 * maxEdits(other),
  );
  for (const edits of [0, 1, 2]) {
    const found = similar.find((other) => edits <= maxEdits(other) && isWithin(edits, name, other));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A bit for each character that a name contains. An edit changes at most two bits. */
function charactersOf(name: string): number {
  let bits = 0;
  for (let index = 0; index < name.length; index += 1) bits |= 1 << (name.charCodeAt(index) & 31);
  return bits;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Whether at most `edits` insertions, deletions, replacements or swaps of neighbouring letters turn `a` into `b`. */
function isWithin(edits: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const restA = a.slice(same);
  const restB = b.slice(same);
  if (restA === restB) return true;
  if (edits === 0) return false;
  const isSwap = restA[0] === restB[1] && restA[1] === restB[0];
  return (
    isWithin(edits - 1, restA.slice(1), restB) ||
    isWithin(edits - 1, restA, restB.slice(1)) ||
    isWithin(edits - 1, restA.slice(1), restB.slice(1)) ||
    (isSwap && isWithin(edits - 1, restA.slice(2), restB.slice(2)))
  );
}
