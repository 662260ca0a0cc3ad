import { setTimeout as sleep } from 'node:timers/promises';
import { toIso } from '../clock.ts';
import { escapeControlCharacters } from '../control-characters.ts';
import { renderIndentedJson } from '../http/request/exact-json.ts';
import { failureOf } from '../observe/exception.ts';
import { cannotWrite } from './failures.ts';
import type { Io } from './io.ts';

const RETRY_MS = 5;

/** One line, or several. */
type Lines = string | readonly string[];

/** The lines with their line breaks. Control characters are escaped, also line breaks: a name from elsewhere must not forge a line. */
const render = (lines: Lines): string =>
  [lines]
    .flat()
    .map((line) => `${escapeControlCharacters(line)}\n`)
    .join('');

/**
 * Writes a result to standard output. If the reader closes the pipe early, as `head` does, the rest
 * is dropped.
 * @throws CommandFailed if the result cannot be written completely. `console.log` would ignore that.
 */
export function printResult(io: Io, lines: Lines): void {
  const bytes = Buffer.from(render(lines));
  for (let written = 0; written < bytes.length; ) {
    try {
      written += io.writeSync(bytes.subarray(written));
    } catch (error) {
      const code = failureOf(error);
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw cannotWrite('Standard output', error);
      Bun.sleepSync(RETRY_MS);
    }
  }
}

/**
 * Like `printResult`, without a pause of the process while the reader reads nothing. Resolves with whether the reader still
 * reads.
 */
export async function printWhileRead(io: Io, lines: Lines): Promise<boolean> {
  const bytes = Buffer.from(render(lines));
  for (let written = 0; written < bytes.length; ) {
    try {
      written += await io.writeLater(bytes.subarray(written));
    } catch (error) {
      const code = failureOf(error);
      if (code === 'EPIPE') return false;
      if (code !== 'EAGAIN') throw cannotWrite('Standard output', error);
      await sleep(RETRY_MS);
    }
  }
  return true;
}

/** In JSON, the escapes mean the same characters. */
export const printJson = (io: Io, value: unknown): void =>
  printResult(io, renderIndentedJson(value).split('\n'));

/** Writes a message for people to standard error. `console.error` would colour it red on a terminal. */
export const printMessage = (io: Io, lines: Lines): void => {
  io.messages.write(render(lines));
};

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
