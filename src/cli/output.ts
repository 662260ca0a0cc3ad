import { toIso } from '../clock.ts';
import { escapeControlCharacters } from '../control-characters.ts';
import { CommandFailed } from './failures.ts';

/** Formats rows as lines of aligned columns under headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [headings, ...rows.map((row) => row.map(escapeControlCharacters))];
  const widths = headings.map((_heading, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Waits until a secret is printed, which can be shown only once. @param remedy the sentence if it cannot be printed */
export async function printedOnce(printing: Promise<boolean>, remedy: string): Promise<void> {
  try {
    if (await printing) return;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw new CommandFailed(`${error.message} ${remedy}`);
  }
  throw new CommandFailed(`Standard output was closed by its reader. ${remedy}`);
}

/** A number of something, such as `1 row` or `2 rows`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/** A time for JSON: as `toIso`, or null. */
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

/** A time for people. */
export const formatTime = (ms: number | null): string => toIsoOrNull(ms) ?? 'never';

/** Formats a size in bytes in the largest unit of which there is at least one. */
export function formatBytes(bytes: number): string {
  const exponent = Math.min(4, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const unit = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][exponent];
  return exponent === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** exponent).toFixed(1)} ${unit}`;
}
