import { renderExactJson } from '../http/request/exact-json.ts';
import type { Format } from './read-rows.ts';

export type ExportFormat = Exclude<Format, 'json'>;
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const satisfies readonly ExportFormat[];

interface RenderOptions {
  /** Whether texts that a spreadsheet would run get a quote before them. Reading these back gives other texts. */
  readonly escapesFormulas: boolean;
}

/** Renders rows as text, a batch at a time: reading it back gives the same rows, unless formulas are escaped. */
export async function* renderRows<Row extends object>(
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  columns: readonly (keyof Row & string)[],
  format: ExportFormat,
  { escapesFormulas }: RenderOptions,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join()}\n`;
  const toText = escapesFormulas ? escapeFormula : (value: unknown) => value;
  const toCsvLine = (row: Row) =>
    `${columns.map((column) => quoteCsv(toText(row[column]))).join()}\n`;
  const render = format === 'csv' ? toCsvLine : (row: Row) => `${renderExactJson(row)}\n`;
  for await (const batch of batches) yield batch.map(render).join('');
}

/** A cell, quoted where it must be (RFC 4180); empty where there is no value. */
function quoteCsv(value: unknown): string {
  const text = value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** How a cell begins that a spreadsheet takes for a formula (OWASP, CSV Injection). Numbers are none. */
const FORMULA = /^[=+\-@\t\r\n]/;

const escapeFormula = (value: unknown): unknown =>
  typeof value === 'string' && FORMULA.test(value) ? `'${value}` : value;
