import { guardFormulas, renderCsvRow } from '../../src/transfer/files/csv-writer.ts';

export type ReadPages<Item> = (signal: AbortSignal) => AsyncIterable<readonly Item[]>;

/** People have written them. They may be what a spreadsheet takes for a formula. */
const FREE = new Set<PropertyKey>(['name', 'category', 'reference', 'note']);

/** Texts are moved into a blob in between: a browser keeps that outside the memory of the page. */
const MOVED_ROWS = 10_000;

export async function collect<Item>(
  columns: readonly (keyof Item & string)[],
  pages: AsyncIterable<readonly Item[]>,
  onCount: (rows: number) => void,
): Promise<{ readonly blob: Blob; readonly rows: number }> {
  const cell = (item: Item) => (column: keyof Item) => {
    const text = String(item[column] ?? '');
    return FREE.has(column) ? guardFormulas(text) : text;
  };
  // Spreadsheets take a file without a byte order mark for one in an old encoding.
  let texts = ['\uFEFF', renderCsvRow(columns)];
  let blob = new Blob();
  let rows = 0;
  let moved = 0;
  for await (const page of pages) {
    texts.push(page.map((item) => renderCsvRow(columns.map(cell(item)))).join(''));
    rows += page.length;
    onCount(rows);
    if (rows - moved < MOVED_ROWS) continue;
    blob = new Blob([blob, ...texts]);
    texts = [];
    moved = rows;
  }
  return { blob: new Blob([blob, ...texts], { type: 'text/csv' }), rows };
}

/** Saves a file as a click on a link does. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
