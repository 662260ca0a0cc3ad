import { renderExactJson } from '../http/request/exact-json.ts';
import { guardFormulas, renderCsvRow } from './files/csv-writer.ts';
import type { Format } from './files/read-rows.ts';

export type ExportFormat = Exclude<Format, 'json'>;
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const satisfies readonly ExportFormat[];

interface RenderOptions {
  /** Whether texts that a spreadsheet would run as formulas get quotes before the formulas. An import keeps the quotes. */
  readonly escapeFormulas: boolean;
}

/** Renders rows as text, one batch at a time. An import reads the same rows, unless formulas were escaped. */
export async function* renderRows<Row extends object>(
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  columns: readonly string[],
  format: ExportFormat,
  { escapeFormulas }: RenderOptions,
): AsyncGenerator<string> {
  if (format === 'csv') yield renderCsvRow(columns);
  const toText = (value: unknown, index: number): string => {
    const text = value === undefined ? '' : String(value);
    // A number at the beginning of a line is no number for a spreadsheet with another list separator.
    return escapeFormulas && (typeof value === 'string' || index === 0)
      ? guardFormulas(text)
      : text;
  };
  const toCsvLine = (row: Row) =>
    renderCsvRow(
      columns.map((column, at) => toText((row as Readonly<Record<string, unknown>>)[column], at)),
    );
  const render = format === 'csv' ? toCsvLine : (row: Row) => `${renderExactJson(row)}\n`;
  for await (const batch of batches) yield batch.map(render).join('');
}
