/** Reads responses of HTTP/1.1 from bytes, by the letter of RFC 9112. */

export interface RawResponse {
  readonly status: number;
  /** In the order received. Names are in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The response is a stream that has no end. `body` is its beginning. */
  readonly isStream: boolean;
}

/** The bytes are not HTTP/1.1. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** The connection closed within a response. */
export class CutOff extends Malformed {}

/** A response, and the number of bytes that it has. */
interface Read {
  readonly response: RawResponse;
  readonly length: number;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\t\x20-\x7e\x80-\xff]*$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/;

export const headerOf = ({ headers }: RawResponse, name: string): string | undefined =>
  headers.find(([known]) => known === name)?.[1];

/**
 * Reads the first response. Interim responses (1xx) before it are left out.
 * @param isHead whether the request was HEAD.
 * @param isClosed whether no more bytes follow.
 * @returns undefined if bytes are missing
 * @throws Malformed
 */
export function readResponse(bytes: Buffer, isHead: boolean, isClosed: boolean): Read | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) {
    if (isClosed && bytes.length > 0) throw new CutOff('a head without its end');
    return undefined;
  }
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Malformed(`the status line ${JSON.stringify(statusLine)}`);
  const headers = lines.map(readHeader);
  const rest = bytes.subarray(end + 4);
  if (status < 200) {
    const final = readResponse(rest, isHead, isClosed);
    return final && { ...final, length: final.length + end + 4 };
  }
  const content = readContent(headers, rest, { hasNone: isHead || isBare(status), isClosed });
  if (content === undefined) {
    if (isClosed) throw new CutOff('a body without its end');
    return undefined;
  }
  const { length, ...read } = content;
  return { response: { status, headers, ...read }, length: end + 4 + length };
}

const isBare = (status: number): boolean => status === 204 || status === 304;

function readHeader(line: string): readonly [string, string] {
  const [, name, value] = HEADER.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new Malformed(`the header ${JSON.stringify(line)}`);
  return [name.toLowerCase(), value];
}

interface Content extends Pick<RawResponse, 'body' | 'isStream'> {
  readonly length: number;
}

function readContent(
  headers: RawResponse['headers'],
  rest: Buffer,
  { hasNone, isClosed }: { readonly hasNone: boolean; readonly isClosed: boolean },
): Content | undefined {
  const valuesOf = (wanted: string) => headers.flatMap(([name, v]) => (name === wanted ? [v] : []));
  const [length, ...otherLengths] = valuesOf('content-length');
  const [coding, ...otherCodings] = valuesOf('transfer-encoding');
  if (otherLengths.length + otherCodings.length > 0 || (length && coding))
    throw new Malformed('two lengths');
  if (length !== undefined && !/^[0-9]{1,15}$/.test(length))
    throw new Malformed(`the length ${JSON.stringify(length)}`);
  if (hasNone) return { body: Buffer.alloc(0), isStream: false, length: 0 };
  if (coding !== undefined) {
    const isStream = valuesOf('content-type')[0] === 'text/event-stream';
    return readChunks(rest, coding, isStream);
  }
  if (length === undefined) {
    // The content ends with the connection (RFC 9112, 6.3).
    return isClosed ? { body: rest, isStream: false, length: rest.length } : undefined;
  }
  const size = Number(length);
  if (rest.length < size) return undefined;
  return { body: rest.subarray(0, size), isStream: false, length: size };
}

function readChunks(bytes: Buffer, coding: string, isStream: boolean): Content | undefined {
  if (coding !== 'chunked') throw new Malformed(`the transfer coding ${coding}`);
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!/^[0-9a-f]+$/i.test(bytes.toString('latin1', at, end)))
      throw new Malformed('the size of a chunk');
    const next = end + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (bytes.toString('latin1', next - 2, next) !== '\r\n')
      throw new Malformed('a chunk without its end');
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    if (size === 0 || isStream) return { body: Buffer.concat(parts), isStream, length: next };
    at = next;
  }
}
