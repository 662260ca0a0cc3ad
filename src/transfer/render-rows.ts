import { renderExactJson } from '../http/request/exact-json.ts';
import type { Format } from './read-rows.ts';

export type ExportFormat = Exclude<Format, 'json'>;
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const satisfies readonly ExportFormat[];

interface RenderOptions {
  /** Whether texts that a spreadsheet would run as formulas get a leading quote. An import keeps the quote. */
  readonly escapeFormulas: boolean;
}

/** Renders rows as text, one batch at a time. An import reads the same rows, unless formulas were escaped. */
export async function* renderRows<Row extends object>(
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  columns: readonly string[],
  format: ExportFormat,
  { escapeFormulas }: RenderOptions,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join()}\n`;
  const toText = escapeFormulas ? escapeFormula : (value: unknown) => value;
  const toCsvLine = (row: Row) =>
    `${columns.map((column) => quoteCsv(toText((row as Readonly<Record<string, unknown>>)[column]))).join()}\n`;
  const render = format === 'csv' ? toCsvLine : (row: Row) => `${renderExactJson(row)}\n`;
  for await (const batch of batches) yield batch.map(render).join('');
}

/** Renders a cell, quoted if necessary (RFC 4180). Undefined is an empty cell. */
function quoteCsv(value: unknown): string {
  const text = value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The first characters of a text that a spreadsheet runs as a formula, also in full width (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

const escapeFormula = (value: unknown): unknown =>
  typeof value === 'string' && FORMULA.test(value) ? `'${value}` : value;
