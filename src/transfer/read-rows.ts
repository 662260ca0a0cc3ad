import { pipeline, Readable } from 'node:stream';
import { type CsvError, parse as csvParser, type InfoRecord } from 'csv-parse';
import { isJsonObject, type JsonObject } from '../http/request/body.ts';
import { InvalidJson, parseExactJson, parseExactJsonElements } from '../http/request/exact-json.ts';
import { isTooLong, JSON_TOO_LONG, MAX_JSON_BYTES, MAX_ROW_BYTES, TOO_LONG } from './row-size.ts';

export const FORMATS = ['csv', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** One row of a file, with the line on which it begins: its fields, or why it has none. */
export type SourceRow = { readonly line: number } & (
  | { readonly fields: JsonObject }
  | { readonly problem: string }
);

/** The file as a whole cannot be read: no row can be left out to mend it. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The format that a file name tells, if any. */
export function formatOfName(name: string): Format | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  return extension === 'jsonl' ? 'ndjson' : FORMATS.find((format) => format === extension);
}

/** A file's rows in batches, read as the bytes arrive (a JSON array: once all are there). */
export interface Rows {
  readonly format: Format;
  readonly batches: AsyncIterable<SourceRow[]>;
}

/**
 * Reads rows. The format, when it is not known, is told by the first character.
 * @throws UnreadableFile, also while the batches are read.
 */
export async function readRows(
  bytes: AsyncIterable<Uint8Array>,
  knownFormat: Format | undefined,
): Promise<Rows> {
  const text = decode(bytes);
  const first = await text.next();
  const start = first.done ? '' : first.value;
  const format = knownFormat ?? formatOfContent(start);
  return { format, batches: READERS[format](prepend(start, text)) };
}

const READERS: Record<Format, (text: AsyncIterable<string>) => AsyncIterable<SourceRow[]>> = {
  csv: readCsv,
  json: readJson,
  ndjson: readNdjson,
};

const STARTS: Readonly<Record<string, Format>> = { '[': 'json', '{': 'ndjson' };

const formatOfContent = (start: string): Format => STARTS[start.trimStart()[0] ?? ''] ?? 'csv';

async function* prepend(start: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield start;
  yield* rest;
}

/** Strict UTF-8: a damaged name is refused, not replaced. A byte order mark, which spreadsheets write, is dropped. */
async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  try {
    for await (const chunk of bytes) {
      const text = decoder.decode(chunk, { stream: true });
      yield text;
      lines += newlinesIn(text);
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnreadableFile(`the file is not valid UTF-8, somewhere after line ${lines}`);
  }
}

async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<SourceRow[]> {
  let line = 0;
  let unfinished = '';
  const toRows = (lines: readonly string[]): SourceRow[] => {
    const rows: SourceRow[] = [];
    for (const source of lines) {
      line += 1;
      if (source.trim() !== '') rows.push({ line, ...parseRow(source) });
    }
    return rows;
  };
  for await (const chunk of text) {
    // The rest of a line that is too long already is not held.
    if (unfinished.length > MAX_ROW_BYTES && !chunk.includes('\n')) continue;
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop() ?? '';
    yield toRows(lines);
  }
  yield toRows([unfinished]);
}

function parseRow(source: string): { fields: JsonObject } | { problem: string } {
  if (isTooLong(source)) return { problem: TOO_LONG };
  try {
    const value = parseExactJson(source);
    return isJsonObject(value) ? { fields: value } : { problem: 'is not a JSON object' };
  } catch (error) {
    if (error instanceof InvalidJson) return { problem: error.message };
    throw error;
  }
}

async function* readJson(text: AsyncIterable<string>): AsyncGenerator<SourceRow[]> {
  const whole = await joined(text);
  let batch: SourceRow[] = [];
  let line = 1;
  let counted = 0;
  try {
    for (const { value, offset, next } of parseExactJsonElements(whole)) {
      line += newlinesIn(whole.slice(counted, offset));
      counted = offset;
      const source = whole.slice(offset, next);
      if (isTooLong(source) && isTooLong(source.trimEnd())) batch.push({ line, problem: TOO_LONG });
      else if (isJsonObject(value)) batch.push({ line, fields: value });
      else batch.push({ line, problem: 'is not a JSON object' });
      if (batch.length === BATCH) {
        yield batch;
        batch = [];
      }
    }
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    throw new UnreadableFile(`in or after the row that begins on line ${line}: ${error.message}`);
  }
  yield batch;
}

async function joined(text: AsyncIterable<string>): Promise<string> {
  const chunks: string[] = [];
  let bytes = 0;
  for await (const chunk of text) {
    bytes += Buffer.byteLength(chunk);
    if (bytes > MAX_JSON_BYTES) throw new UnreadableFile(JSON_TOO_LONG);
    chunks.push(chunk);
  }
  return chunks.join('');
}

const BATCH = 1_000;
async function* readCsv(text: AsyncIterable<string>): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  // The parser counts a CRLF inside quotes as two lines.
  let surplus = 0;
  /** The line after the last row, and how many blank lines the parser has left out before it. */
  let [nextLine, blankLines] = [1, 0];
  const lineOf = (lines: number, cells: readonly string[]): number => {
    const text = cells.join(' ');
    const newlines = newlinesIn(text);
    surplus += (text.match(/[\r\n]/g)?.length ?? 0) - newlines;
    [nextLine, blankLines] = [lines - surplus + 1, parser.info.empty_lines];
    return lines - surplus - newlines;
  };
  const parser = csvParser({
    columns(header: string[]) {
      lineOf(parser.info.lines, header);
      return requireDistinct(header);
    },
    max_record_size: MAX_ROW_BYTES,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_record: (fields: Record<string, string>, { lines }: InfoRecord): SourceRow => ({
      line: lineOf(lines, Object.values(fields)),
      fields,
    }),
    on_skip: (error: CsvError | undefined) => {
      if (error?.code === 'CSV_MAX_RECORD_SIZE')
        throw tooLong(nextLine + parser.info.empty_lines - blankLines);
      if (error?.code !== 'CSV_RECORD_INCONSISTENT_COLUMNS') throw misquoted(error, surplus);
      batch.push({
        line: lineOf(Number(error['lines']), error['record'] as string[]),
        problem: `has ${(error['record'] as string[]).length} cells, where the first line has ${(error['columns'] as unknown[] | undefined)?.length}`,
      });
      return undefined;
    },
  });
  // Unlike pipe, pipeline hands a failure of the text on to whoever reads the rows.
  pipeline(Readable.from(withBoundedLines(text)), parser, () => {});
  for await (const row of parser) {
    batch.push(row as SourceRow);
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  yield batch;
}

/** The parser does not count what separates cells: a line of nothing else would fill the memory. */
async function* withBoundedLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let line = 1;
  let length = 0;
  for await (const chunk of text) {
    line += newlinesIn(chunk);
    const end = Math.max(chunk.lastIndexOf('\n'), chunk.lastIndexOf('\r'));
    length = end === -1 ? length + chunk.length : chunk.length - end - 1;
    if (length > MAX_ROW_BYTES) throw tooLong(line);
    yield chunk;
  }
}

/** The parser cannot go on after such a row, and a quote that is not closed makes all that follows one row. */
const tooLong = (line: number): UnreadableFile =>
  new UnreadableFile(`line ${line}: the row ${TOO_LONG}, or a quote in it is not closed`);

/** After a quote out of place nobody can tell where the rows begin. */
function misquoted(error: CsvError | undefined, surplus: number): UnreadableFile {
  const line = Number(error?.['lines'] ?? 0) - surplus;
  return new UnreadableFile(`line ${line}: a quote is out of place, or not closed`);
}

function requireDistinct(columns: string[]): string[] {
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined)
    throw new UnreadableFile(`the column ${twice} stands twice in the first line`);
  return columns;
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
