/** Results go to standard output, so that they can be piped; words to the person go to standard error. */
export const printResult = (text: string): void => console.log(text);

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
