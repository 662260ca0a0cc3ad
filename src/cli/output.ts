import { writeSync } from 'node:fs';
import { cannotWrite } from './failures.ts';

const STANDARD_OUTPUT = 1;
const RETRY_MS = 5;

/**
 * Writes a result to standard output, so that it can be piped; words to the person go to standard
 * error. A reader that has seen enough, such as `head`, is no failure.
 * @throws CommandFailed when it cannot be written whole: `console.log` would say nothing.
 */
export function printResult(text: string): void {
  const bytes = Buffer.from(`${text}\n`);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(STANDARD_OUTPUT, bytes, written);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw cannotWrite('Standard output', error);
      Bun.sleepSync(RETRY_MS);
    }
  }
}

export const printJson = (value: unknown): void => printResult(JSON.stringify(value, null, 2));

/** Not `console.error`, which colours words red on a terminal. */
export const tell = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** Lines up rows under headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_heading, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A time as text, or the words for none. */
export const formatTime = (ms: number | null, none: string): string =>
  ms === null ? none : new Date(ms).toISOString();
