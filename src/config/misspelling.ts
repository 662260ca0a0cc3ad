/** A name that is not known, and the known one that it is probably meant to be. */
export interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** Short names are near to many other words, as HOST is to HOME. */
const SHORT = 5;

const allowedEdits = (known: string): number => (known.length <= SHORT ? 1 : 2);

/**
 * The names that are almost one of the known, in any case of letters. A known name that is among
 * the names itself was not misspelt: what is near to it belongs to another program.
 */
export function findMisspellings(
  names: readonly string[],
  known: readonly string[],
): Misspelling[] {
  const missing = known.filter((one) => !names.includes(one));
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name.toUpperCase(), missing);
      return meant === undefined ? [] : [{ name, meant }];
    });
}

function nearest(name: string, known: readonly string[]): string | undefined {
  for (const edits of [0, 1, 2]) {
    const found = known.find((one) => edits <= allowedEdits(one) && isWithin(edits, name, one));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether so many letters inserted, removed, replaced or swapped with their neighbour make one word of the other. */
function isWithin(edits: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const [restA, restB] = [a.slice(same), b.slice(same)];
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
