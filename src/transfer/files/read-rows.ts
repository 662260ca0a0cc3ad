import {
  InvalidJson,
  parseExactJson,
  parseExactJsonElements,
} from '../../http/request/exact-json.ts';
import { isJsonObject } from '../../http/request/json-object.ts';
import { CsvReader, type Delimiter } from './csv-reader.ts';
import { type FieldSource, type FileFields, type FileRow, jsonRow, sourcesOf } from './fields.ts';
import {
  byteLength,
  isTooLong,
  JSON_TOO_LONG,
  MAX_JSON_BYTES,
  MAX_ROW_BYTES,
  TOO_LONG,
} from './row-size.ts';
import { decode, newlinesIn, requireText, UnreadableFile } from './unreadable-file.ts';

export const FORMATS = ['csv', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** The format of a file by its extension. Undefined if the extension is unknown. */
export function formatOfName(name: string): Format | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  return extension === 'jsonl' ? 'ndjson' : FORMATS.find((format) => format === extension);
}

/** The rows of a file, in batches. A JSON array is read completely first; other formats are streamed. */
export interface FileRows {
  /** Of CSV, after the first batch. */
  readonly delimiter: () => Delimiter | undefined;
  readonly batches: AsyncIterable<readonly FileRow[]>;
}

/**
 * Reads the fields of a file that its user needs. An unknown format is detected by the first character.
 * @throws UnreadableFile, including while the batches are read.
 */
export async function readRows(
  bytes: AsyncIterable<Uint8Array>,
  knownFormat: Format | undefined,
  fields: FileFields,
): Promise<FileRows> {
  const chunks = decode(bytes);
  const start = await firstOf(chunks);
  requireText(start);
  const text = prepend(start, chunks);
  const sources = sourcesOf(fields);
  const format = knownFormat ?? formatOfContent(start);
  if (format === 'csv') {
    const reader = new CsvReader(sources);
    return { delimiter: () => reader.delimiter, batches: readCsv(text, reader) };
  }
  const read = format === 'json' ? readJson : readNdjson;
  return { delimiter: () => undefined, batches: read(text, sources) };
}

const FORMAT_OF_START: Readonly<Record<string, Format>> = { '[': 'json', '{': 'ndjson' };

const formatOfContent = (start: string): Format =>
  FORMAT_OF_START[start.trimStart()[0] ?? ''] ?? 'csv';

/** A pipe may begin with one byte, and a file with white space. */
const MIN_START = 4;
const MAX_START = 65_536;

/** The first characters of a file, which show what it is. */
async function firstOf(chunks: AsyncGenerator<string>): Promise<string> {
  let start = '';
  while (start.length < MAX_START && start.trimStart().length < MIN_START) {
    const { done, value } = await chunks.next();
    if (done) break;
    start += value;
  }
  return start;
}

async function* prepend(start: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield start;
  yield* rest;
}

async function* readCsv(text: AsyncIterable<string>, reader: CsvReader): AsyncGenerator<FileRow[]> {
  for await (const chunk of text) yield reader.read(chunk);
  yield reader.read('', true);
}

async function* readNdjson(
  text: AsyncIterable<string>,
  sources: readonly FieldSource[],
): AsyncGenerator<FileRow[]> {
  let line = 0;
  let unfinished = '';
  const toRows = (lines: readonly string[]): FileRow[] => {
    const rows: FileRow[] = [];
    for (const source of lines) {
      line += 1;
      if (source.trim() !== '') rows.push(parseRow(line, source, sources));
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

function parseRow(line: number, source: string, sources: readonly FieldSource[]): FileRow {
  if (isTooLong(source)) return { line, problem: TOO_LONG };
  try {
    const value = parseExactJson(source);
    return isJsonObject(value)
      ? jsonRow(line, value, sources)
      : { line, problem: 'is not a JSON object' };
  } catch (error) {
    if (error instanceof InvalidJson) return { line, problem: error.message };
    throw error;
  }
}

async function* readJson(
  text: AsyncIterable<string>,
  sources: readonly FieldSource[],
): AsyncGenerator<FileRow[]> {
  const whole = await concatenate(text);
  let batch: FileRow[] = [];
  let line = 1;
  let counted = 0;
  try {
    for (const { value, offset, next } of parseExactJsonElements(whole)) {
      line += newlinesIn(whole.slice(counted, offset));
      counted = offset;
      const source = whole.slice(offset, next);
      if (isTooLong(source) && isTooLong(source.trimEnd())) batch.push({ line, problem: TOO_LONG });
      else if (isJsonObject(value)) batch.push(jsonRow(line, value, sources));
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
    bytes += byteLength(chunk);
    if (bytes > MAX_JSON_BYTES) throw new UnreadableFile(JSON_TOO_LONG);
    chunks.push(chunk);
  }
  return chunks.join('');
}

const BATCH_SIZE = 1_000;
