import { cellsOf, RowSplitter, type RowText } from './csv-rows.ts';
import { csvRow, type FieldSource, type FileRow, listed, wordOf } from './fields.ts';
import { misquoted, UnreadableFile } from './unreadable-file.ts';

/** What may be between two cells. Spreadsheets use what the language of the computer has. */
const DELIMITERS = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const;
export type Delimiter = keyof typeof DELIMITERS;

/** Names a delimiter, for people. */
export const describeDelimiter = (delimiter: Delimiter): string =>
  `the delimiter is a ${DELIMITERS[delimiter]}`;

/** What the first line says. */
interface Header {
  readonly delimiter: Delimiter;
  readonly columns: readonly string[];
  readonly sources: readonly FieldSource[];
}

/** Spreadsheets write and read such a line before the names of the columns. */
const DELIMITER_LINE = /^"?sep=([,;\t])"?$/i;

/** Reads CSV in parts. Its first line names the columns; the others that nobody uses may have any name. */
export class CsvReader {
  readonly #splitter = new RowSplitter();
  #header: Header | undefined;
  #given: Delimiter | undefined;

  constructor(private readonly fields: readonly FieldSource[]) {}

  /** Undefined until the first line is read. */
  get delimiter(): Delimiter | undefined {
    return this.#header?.delimiter;
  }

  /** Returns the rows that a part of the text completes. @throws UnreadableFile */
  read(part: string, isLast = false): FileRow[] {
    const rows: FileRow[] = [];
    for (const text of this.#splitter.split(part, isLast)) {
      const row = this.#header ? readRow(text, this.#header) : this.#readHeader(text);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  #readHeader(row: RowText): undefined {
    if (/^[\s",;]*$/.test(row.text)) return;
    const given = DELIMITER_LINE.exec(row.text)?.[1] as Delimiter | undefined;
    if (given !== undefined && this.#given === undefined) this.#given = given;
    else this.#header = readHeader(row, this.fields, this.#given);
  }
}

/** Of all delimiters, takes the one that finds the most columns that are used, or else the most columns. */
function readHeader(
  { line, text }: RowText,
  fields: readonly FieldSource[],
  given: Delimiter | undefined,
): Header {
  const delimiters = given ? [given] : (Object.keys(DELIMITERS) as Delimiter[]);
  const headers = delimiters.flatMap((delimiter) => {
    const columns = cellsOf(text, delimiter)?.map((column) => column.trim());
    return columns ? [{ delimiter, columns, sources: locate(fields, columns) }] : [];
  });
  const found = ({ sources }: Header) => sources.filter(({ index }) => index !== -1).length;
  headers.sort((a, b) => found(b) - found(a) || b.columns.length - a.columns.length);
  const [header] = headers;
  if (header === undefined) throw misquoted(line);
  requireColumns(header);
  return header;
}

function locate(fields: readonly FieldSource[], columns: readonly string[]): FieldSource[] {
  const words = columns.map(wordOf);
  return fields.map((field) => ({ ...field, index: words.indexOf(wordOf(field.column)) }));
}

function requireColumns({ delimiter, columns, sources }: Header): void {
  const words = columns.map(wordOf);
  const has = (name: string | undefined) =>
    sources.some(({ field, index }) => field === name && index !== -1);
  for (const { column, index = -1, isRequired, unless } of sources) {
    if (index === -1 && isRequired && !has(unless))
      throw new UnreadableFile(
        `the first line must name the columns, and one of them must be ${column}: it has ${listed(columns)}, and ${describeDelimiter(delimiter)}`,
      );
    if (index !== -1 && words.indexOf(wordOf(column), index + 1) !== -1)
      throw new UnreadableFile(`the first line contains the column ${column} twice`);
  }
}

/** Undefined for a row without any text, such as those that spreadsheets write below a table. */
function readRow({ line, text }: RowText, { delimiter, columns, sources }: Header) {
  const cells = cellsOf(text, delimiter);
  if (cells === undefined) throw misquoted(line);
  if (cells.every((cell) => cell.trim() === '')) return undefined;
  if (cells.length === columns.length) return csvRow(line, cells, sources, columns);
  const count = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
  const problem = `has ${count}, but the first line has ${columns.length} (${describeDelimiter(delimiter)})`;
  return { line, problem };
}
