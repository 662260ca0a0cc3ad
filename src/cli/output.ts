import { writeSync } from 'node:fs';
import { escapeControlCharacters } from '../control-characters.ts';
import { renderIndentedJson } from '../http/request/exact-json.ts';
import { cannotWrite } from './failures.ts';

const STANDARD_OUTPUT = 1;
const RETRY_MS = 5;

/**
 * Writes a result to standard output. If the reader closes the pipe early, as `head` does, the rest
 * is dropped.
 * @throws CommandFailed if the result cannot be written completely. `console.log` would ignore that.
 */
export function printResult(text: string): void {
  const bytes = Buffer.from(`${forTerminal(text)}\n`);
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

export const printJson = (value: unknown): void => printResult(renderIndentedJson(value));

/** Writes a message for people to standard error. `console.error` would colour it red on a terminal. */
export const printMessage = (text: string): void => {
  process.stderr.write(`${forTerminal(text)}\n`);
};

/**
 * Escapes the control characters in each line: a text may contain names from clients, files and other programs. In JSON, the
 * escapes mean the same characters. A name whose line breaks must not end a line is escaped before.
 */
export const forTerminal = (text: string): string =>
  text.split('\n').map(escapeControlCharacters).join('\n');

/** Formats rows as aligned columns under headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(escapeControlCharacters))];
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

/** Formats milliseconds since 1970-01-01T00:00:00Z as RFC 3339 in UTC, and null as `never`. */
export const formatTime = (ms: number | null): string =>
  ms === null ? 'never' : new Date(ms).toISOString();

/** Formats a size in bytes in the largest unit of which there is at least one. */
export function formatBytes(bytes: number): string {
  const exponent = Math.min(4, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const unit = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][exponent];
  return exponent === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** exponent).toFixed(1)} ${unit}`;
}
