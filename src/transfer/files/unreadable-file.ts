import { TOO_LONG } from './row-size.ts';

/** The whole file is unreadable. Skipping a row does not help. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The reader cannot continue after such a row. An unclosed quote turns the rest of the file into one row. */
export const tooLong = (line: number): UnreadableFile =>
  new UnreadableFile(`line ${line}: the row ${TOO_LONG}, or a quote in it is not closed`);

/** After a misplaced quote, the start of the next row is unknown. */
export const misquoted = (line: number): UnreadableFile =>
  new UnreadableFile(`line ${line}: a quote is misplaced or not closed`);

const REMEDY = 'save it in UTF-8, which spreadsheets call "CSV UTF-8"';

const notUtf8 = (line: number): UnreadableFile =>
  new UnreadableFile(`the file is not valid UTF-8, on line ${line} or after it: ${REMEDY}`);

const utf16 = (): UnreadableFile =>
  new UnreadableFile(`the file is text in UTF-16, not in UTF-8: ${REMEDY}`);

const archive = (): UnreadableFile =>
  new UnreadableFile(`the file is a spreadsheet such as .xlsx or another archive: ${REMEDY}`);

/** The first characters of an archive. Most archives have bytes soon after them that are not UTF-8. */
const ARCHIVE = 'PK\u0003\u0004';

/** Refuses a file whose first characters no table has. */
export function requireText(start: string): void {
  if (start.startsWith(ARCHIVE)) throw archive();
  // Latin letters of UTF-16 are valid UTF-8, each with a U+0000.
  if (start.slice(0, 2).includes('\0')) throw utf16();
}

/** Decodes UTF-8 and rejects invalid bytes instead of replacing them. Drops a byte order mark, which spreadsheets write. */
export async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start: Uint8Array = new Uint8Array();
  let lines = 1;
  try {
    for await (const chunk of bytes) {
      if (start.length === 0) start = chunk.slice(0, ARCHIVE.length);
      const text = decoder.decode(chunk, { stream: true });
      yield text;
      lines += newlinesIn(text);
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    if (String.fromCharCode(...start) === ARCHIVE) throw archive();
    // The byte order marks of UTF-16 begin with bytes that UTF-8 does not have.
    throw (start[0] ?? 0) >= 0xfe ? utf16() : notUtf8(lines);
  }
}

export function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
