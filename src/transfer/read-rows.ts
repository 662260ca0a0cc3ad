import { pipeline, Readable } from 'node:stream';
import { type CsvError, parse as csvParser, type InfoRecord } from 'csv-parse';
import { isJsonObject, type JsonObject } from '../http/request/body.ts';
import { InvalidJson, parseExactJson, parseExactJsonElements } from '../http/request/exact-json.ts';
import { isTooLong, JSON_TOO_LONG, MAX_JSON_BYTES, MAX_ROW_BYTES, TOO_LONG } from './row-size.ts';

export const FORMATS = ['csv', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** One row of a file: its first line, and its fields or an error. */
export type SourceRow = { readonly line: number } & (
  | { readonly fields: JsonObject }
  | { readonly problem: string }
);

/** The whole file is unreadable. Skipping a row does not help. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The format of a file by its extension. Undefined if the extension is unknown. */
export function formatOfName(name: string): Format | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  return extension === 'jsonl' ? 'ndjson' : FORMATS.find((format) => format === extension);
}

/** The rows of a file, in batches. A JSON array is read completely first; other formats are streamed. */
export interface Rows {
  readonly format: Format;
  readonly batches: AsyncIterable<SourceRow[]>;
}

/**
 * Reads rows. An unknown format is detected by the first character.
 * @throws UnreadableFile, including while the batches are read.
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

const FORMAT_OF_START: Readonly<Record<string, Format>> = { '[': 'json', '{': 'ndjson' };

const formatOfContent = (start: string): Format =>
  FORMAT_OF_START[start.trimStart()[0] ?? ''] ?? 'csv';

async function* prepend(start: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield start;
  yield* rest;
}

/** Decodes UTF-8 and rejects invalid bytes instead of replacing them. Drops a byte order mark, which spreadsheets write. */
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
    throw new UnreadableFile(`the file is not valid UTF-8, on line ${lines} or after it`);
  }
}

async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<SourceRow[]> {
  let line = 0;
  let unfinished = '';
  const toRows = (lines: readonly string[]): SourceRow[] => {
    const rows: SourceRow[] = [];
    for (const source of lines) {
      line += 1;
      if (source.trim() !== '') rows.push(parseRow(line, source));
    }
    return rows;
  };
  for await (const chunk of text) {
    // The rest of a line that is already too long is not buffered.
    if (unfinished.length > MAX_ROW_BYTES && !chunk.includes('\n')) continue;
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop() ?? '';
    yield toRows(lines);
  }
  yield toRows([unfinished]);
}

function parseRow(line: number, source: string): SourceRow {
  if (isTooLong(source)) return { line, problem: TOO_LONG };
  try {
    const value = parseExactJson(source);
    return isJsonObject(value)
      ? { line, fields: value }
      : { line, problem: 'is not a JSON object' };
  } catch (error) {
    if (error instanceof InvalidJson) return { line, problem: error.message };
    throw error;
  }
}

async function* readJson(text: AsyncIterable<string>): AsyncGenerator<SourceRow[]> {
  const whole = await concatenate(text);
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
      if (batch.length === BATCH_SIZE) {
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

async function concatenate(text: AsyncIterable<string>): Promise<string> {
  const chunks: string[] = [];
  let bytes = 0;
  for await (const chunk of text) {
    bytes += Buffer.byteLength(chunk);
    if (bytes > MAX_JSON_BYTES) throw new UnreadableFile(JSON_TOO_LONG);
    chunks.push(chunk);
  }
  return chunks.join('');
}

const BATCH_SIZE = 1_000;

async function* readCsv(text: AsyncIterable<string>): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  // The parser counts a CRLF inside quotes as two lines.
  let surplusLines = 0;
  /** The line after the last row, and the number of blank lines that the parser skipped before it. */
  let [nextLine, blankLines] = [1, 0];
  const lineOf = (lines: number, cells: readonly string[]): number => {
    const text = cells.join(' ');
    const newlines = newlinesIn(text);
    surplusLines += (text.match(/[\r\n]/g)?.length ?? 0) - newlines;
    [nextLine, blankLines] = [lines - surplusLines + 1, parser.info.empty_lines];
    return lines - surplusLines - newlines;
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
      if (error?.code !== 'CSV_RECORD_INCONSISTENT_COLUMNS') throw misquoted(error, surplusLines);
      const record = error['record'] as string[];
      batch.push({
        line: lineOf(Number(error['lines']), record),
        problem: `has ${record.length} ${record.length === 1 ? 'cell' : 'cells'}, but the first line has ${(error['columns'] as unknown[] | undefined)?.length}`,
      });
      return undefined;
    },
  });
  // Unlike pipe, pipeline passes an error of the text to the reader of the rows.
  pipeline(Readable.from(withBoundedLines(text)), parser, () => {});
  for await (const row of parser) {
    batch.push(row as SourceRow);
    if (batch.length >= BATCH_SIZE) {
      yield batch;
      batch = [];
    }
  }
  yield batch;
}

/** Limits the length of lines because the parser does not count delimiters: a line of delimiters would fill the memory. */
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

/** The parser cannot continue after such a row. An unclosed quote turns the rest of the file into one row. */
const tooLong = (line: number): UnreadableFile =>
  new UnreadableFile(`line ${line}: the row ${TOO_LONG}, or a quote in it is not closed`);

/** After a misplaced quote, the start of the next row is unknown. */
function misquoted(error: CsvError | undefined, surplusLines: number): UnreadableFile {
  const line = Number(error?.['lines'] ?? 0) - surplusLines;
  return new UnreadableFile(`line ${line}: a quote is misplaced or not closed`);
}

function requireDistinct(columns: string[]): string[] {
  const duplicate = columns.find((column, index) => columns.indexOf(column) !== index);
  if (duplicate !== undefined)
    throw new UnreadableFile(`the first line contains the column ${duplicate} twice`);
  return columns;
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
