import { renderExactJson } from '../http/exact-json.ts';
import type { Format } from './read-rows.ts';

export type ExportFormat = Exclude<Format, 'json'>;
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const satisfies readonly ExportFormat[];

/** Renders rows as text, a batch at a time: reading it back gives the same rows. */
export async function* renderRows<Row extends object>(
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  columns: readonly (keyof Row & string)[],
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join()}\n`;
  const toCsvLine = (row: Row) => `${columns.map((column) => quoteCsv(row[column])).join()}\n`;
  const render = format === 'csv' ? toCsvLine : (row: Row) => `${renderExactJson(row)}\n`;
  for await (const batch of batches) yield batch.map(render).join('');
}

/** A cell, quoted where it must be (RFC 4180); empty where there is no value. */
function quoteCsv(value: unknown): string {
  const text = value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
