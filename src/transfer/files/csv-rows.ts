import { isTooLong, MAX_ROW_BYTES } from './row-size.ts';
import { misquoted, tooLong } from './unreadable-file.ts';

/** The text of a row, without its line end, and the line on which it begins, from 1. */
export interface RowText {
  readonly line: number;
  readonly text: string;
}

/**
 * Splits CSV into rows (RFC 4180). A row ends at a line end after an even number of quotes, whatever the delimiter is. What is not
 * complete waits for the next part, and is searched once.
 */
export class RowSplitter {
  #text = '';
  #start = 0;
  /** Where the search for the end of the row goes on. */
  #next = 0;
  #isInQuotes = false;
  #hasQuotes = false;
  #line = 1;
  #quotes = new Positions('', '"');
  #lineFeeds = new Positions('', '\n');
  #returns = new Positions('', '\r');

  /** Returns the rows that a part of the text completes. @throws UnreadableFile */
  split(part: string, isLast = false): RowText[] {
    this.#text = this.#text.slice(this.#start) + part;
    this.#next -= this.#start;
    this.#start = 0;
    this.#quotes = new Positions(this.#text, '"');
    this.#lineFeeds = new Positions(this.#text, '\n');
    this.#returns = new Positions(this.#text, '\r');
    const rows: RowText[] = [];
    for (;;) {
      const end = this.#endOfRow(isLast);
      if (end === undefined) break;
      rows.push(this.#take(end));
    }
    if (this.#text.length - this.#start > MAX_ROW_BYTES) throw tooLong(this.#line);
    return rows;
  }

  /** Where the row ends. Undefined if the text ends before. */
  #endOfRow(isLast: boolean): number | undefined {
    const { length } = this.#text;
    while (!this.#isInQuotes || this.#leaveQuotes()) {
      const end = this.#lineEnd(isLast);
      const quote = this.#quotes.from(this.#next);
      if (end < quote) return end;
      if (quote === NOWHERE) break;
      this.#isInQuotes = true;
      this.#hasQuotes = true;
      this.#next = quote + 1;
    }
    // The last character may be the first half of a line end.
    this.#next = Math.max(this.#next, length - 1);
    if (!isLast || this.#start >= length) return undefined;
    if (this.#isInQuotes) throw misquoted(this.#line);
    return length;
  }

  #leaveQuotes(): boolean {
    const quote = this.#quotes.from(this.#next);
    if (quote === NOWHERE) return false;
    this.#isInQuotes = false;
    this.#next = quote + 1;
    return true;
  }

  #lineEnd(isLast: boolean): number {
    const end = Math.min(this.#lineFeeds.from(this.#next), this.#returns.from(this.#next));
    const isHalf = !isLast && end === this.#text.length - 1 && this.#text[end] === '\r';
    return isHalf ? NOWHERE : end;
  }

  #take(end: number): RowText {
    const row = { line: this.#line, text: this.#text.slice(this.#start, end) };
    if (isTooLong(row.text)) throw tooLong(this.#line);
    this.#line += this.#hasQuotes ? row.text.split(LINE_END).length : 1;
    this.#hasQuotes = false;
    this.#start = end + (this.#text.startsWith('\r\n', end) ? 2 : 1);
    this.#next = this.#start;
    return row;
  }
}

const LINE_END = /\r\n|[\r\n]/;

const NOWHERE = Number.POSITIVE_INFINITY;

/** The positions of a character, each searched once. */
class Positions {
  #position = -1;

  constructor(
    readonly text: string,
    readonly character: string,
  ) {}

  /** The first position that is not before another one, which never goes back. */
  from(start: number): number {
    if (this.#position < start) {
      const found = this.text.indexOf(this.character, start);
      this.#position = found === -1 ? NOWHERE : found;
    }
    return this.#position;
  }
}

/** The cells of a row. Undefined if a quote is misplaced. */
export function cellsOf(row: string, delimiter: string): string[] | undefined {
  if (!row.includes('"')) return row.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    const isQuoted = row[at] === '"';
    const end = isQuoted ? endOfQuotes(row, at) : endOfCell(row, delimiter, at);
    const cell = row.slice(at, end);
    if (isQuoted) cells.push(cell.slice(1, -1).replaceAll('""', '"'));
    else if (cell.includes('"')) return undefined;
    else cells.push(cell);
    if (end >= row.length) return cells;
    if (row[end] !== delimiter) return undefined;
    at = end;
  }
}

function endOfCell(row: string, delimiter: string, start: number): number {
  const end = row.indexOf(delimiter, start);
  return end === -1 ? row.length : end;
}

/** The position after the quote that closes a cell. A row has an even number of quotes, so there is one. */
function endOfQuotes(row: string, start: number): number {
  let close = row.indexOf('"', start + 1);
  while (row[close + 1] === '"') close = row.indexOf('"', close + 2);
  return close + 1;
}
