/** Comma-separated values (RFC 4180), as the command line of the service imports and exports them. */

/** A row of a file, and the line on which it begins, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A cell with the delimiter after it. The end of the text is a delimiter, too. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/** A quote is misplaced or not closed: where the rows after it end is unknown. */
export class MisplacedQuote extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`A quote is misplaced or not closed in line ${line}.`);
    this.line = line;
  }
}

/** Reads the rows of a text. Blank lines are left out. @throws MisplacedQuote */
export function* parseCsv(text: string): Generator<CsvRow> {
  const cell = new RegExp(CELL);
  let line = 1;
  let next = 1;
  let cells: string[] = [];
  while (cell.lastIndex < text.length || cells.length > 0) {
    const match = cell.exec(text);
    if (match === null) throw new MisplacedQuote(next);
    const [whole, quoted, plain = '', end] = match;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    next += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ',') continue;
    if (cells.length > 1 || cells[0] !== '') yield { line, cells };
    cells = [];
    line = next;
  }
}

/** The first characters of a text that a spreadsheet runs as a formula, also in full width (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A text that no spreadsheet runs as a formula. */
export const guardText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Renders a row, with its end. */
export const renderCsvRow = (cells: readonly string[]): string =>
  `${cells.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join()}\n`;
