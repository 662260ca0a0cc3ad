import { type Int64, int64FromBigInt } from '../../int64.ts';

/**
 * Parses and renders JSON without loss. The runtime's parser rounds integers beyond 2^53 and
 * silently keeps the last of two duplicate keys. A catalogue must do neither.
 */

declare global {
  interface JSON {
    /** Text that JSON.stringify inserts unchanged (ECMAScript proposal JSON.parse source text access). */
    rawJSON(text: string): object;
  }
}

/** A parsed JSON value. Every number that is an int64 is exact. */
export type ExactJson = null | boolean | string | Int64 | NotAnInt64 | ExactJson[] | JsonObject;

export type JsonObject = { [key: string]: ExactJson };

/** A number with a fraction or beyond 64 bits, in its original text for the error message. */
export class NotAnInt64 {
  constructor(readonly source: string) {}
}

/** The text is not valid JSON by RFC 8259 and our stricter rules. The message says where and why. */
export class InvalidJson extends Error {
  override readonly name = 'InvalidJson';
}

/** Deeper nesting is refused because no valid body has it and it uses stack. */
const MAX_DEPTH = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 strictly. @throws InvalidJson when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InvalidJson('The body is not valid UTF-8.');
  }
}

/**
 * Parses one JSON text.
 * @throws InvalidJson on what RFC 8259 forbids, on duplicate keys, a byte order mark, and nesting deeper than 64.
 */
export function parseExactJson(text: string): ExactJson {
  const parser = new Parser(text);
  const value = parser.value(0);
  parser.end();
  return value;
}

/** Parses the elements of a JSON array one by one, with the offsets in `text` of each and of what follows it. */
export function* parseExactJsonElements(
  text: string,
): Generator<{ value: ExactJson; offset: number; next: number }> {
  const parser = new Parser(text);
  parser.expect('[');
  if (!parser.accept(']')) {
    do {
      const offset = parser.skipWhitespace();
      yield { value: parser.value(1), offset, next: parser.skipWhitespace() };
    } while (parser.accept(','));
    parser.expect(']');
  }
  parser.end();
}

/** Renders a value with every bigint as exact digits. */
export function renderExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify throws on bigints. They are rare, so only they pay for a replacer.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, exactDigits);
  }
}

/** The same on several lines, for people. */
export const renderIndentedJson = (value: unknown): string => JSON.stringify(value, exactDigits, 2);

const exactDigits = (_key: string, part: unknown): unknown =>
  typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part;

const NUMBER = /-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?/y;

class Parser {
  #at = 0;

  constructor(readonly text: string) {}

  /** Parses the next value. `depth` is the number of objects and arrays around it. */
  value(depth: number): ExactJson {
    this.skipWhitespace();
    const first = this.text[this.#at];
    switch (first) {
      case '{':
        return this.#object(depth + 1);
      case '[':
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        return this.#number();
    }
  }

  end(): void {
    this.skipWhitespace();
    if (this.#at < this.text.length) throw this.#error('unexpected content after the value');
  }

  /** Returns the offset of the next character that is not white space. */
  skipWhitespace(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return this.#at;
      this.#at += 1;
    }
  }

  accept(character: string): boolean {
    this.skipWhitespace();
    if (this.text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  expect(character: string): void {
    if (!this.accept(character)) throw this.#error(`expected ${character}`);
  }

  #open(bracket: string, depth: number): void {
    if (depth > MAX_DEPTH) throw this.#error(`nesting deeper than ${MAX_DEPTH}`);
    this.expect(bracket);
  }

  #object(depth: number): ExactJson {
    const object: Record<string, ExactJson> = {};
    this.#open('{', depth);
    if (this.accept('}')) return object;
    do {
      this.skipWhitespace();
      if (this.text[this.#at] !== '"') throw this.#error('expected a key in double quotes');
      const key = this.#string();
      if (Object.hasOwn(object, key)) {
        throw this.#error(`duplicate key ${JSON.stringify(key.slice(0, 64))} in an object`);
      }
      this.expect(':');
      const value = this.value(depth);
      // A plain assignment to __proto__ would set the prototype instead of a key.
      if (key === '__proto__') {
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true });
      } else object[key] = value;
    } while (this.accept(','));
    this.expect('}');
    return object;
  }

  #array(depth: number): ExactJson {
    const array: ExactJson[] = [];
    this.#open('[', depth);
    if (this.accept(']')) return array;
    do array.push(this.value(depth));
    while (this.accept(','));
    this.expect(']');
    return array;
  }

  #string(): string {
    const start = this.#at;
    let end = this.text.indexOf('"', start + 1);
    // A quote is escaped if an odd number of backslashes precedes it.
    while (end !== -1 && this.#backslashesBefore(end) % 2 === 1) {
      end = this.text.indexOf('"', end + 1);
    }
    if (end === -1) throw this.#error('a string is not terminated');
    this.#at = end + 1;
    try {
      return JSON.parse(this.text.slice(start, this.#at));
    } catch {
      this.#at = start;
      throw this.#error('a string contains a control character or an invalid escape');
    }
  }

  #backslashesBefore(offset: number): number {
    let first = offset;
    while (this.text.charCodeAt(first - 1) === 0x5c) first -= 1;
    return offset - first;
  }

  #literal<T extends boolean | null>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.#at)) throw this.#error('expected a JSON value');
    this.#at += word.length;
    return value;
  }

  #number(): Int64 | NotAnInt64 {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.text);
    if (match === null) throw this.#error('expected a JSON value');
    const [source, whole = '', fraction, exponent] = match;
    this.#at += source.length;
    if (fraction === undefined && exponent === undefined && source.length <= 15) {
      return Number(source) + 0; // + 0 makes -0 the integer 0
    }
    const magnitude = integerDigits(
      whole + (fraction ?? ''),
      Number(exponent ?? 0) - (fraction?.length ?? 0),
    );
    if (magnitude === undefined) return new NotAnInt64(source);
    const exact = int64FromBigInt(BigInt(source.startsWith('-') ? `-${magnitude}` : magnitude));
    return exact ?? new NotAnInt64(source);
  }

  #error(reason: string): InvalidJson {
    return new InvalidJson(`The JSON is invalid at character ${this.#at + 1}: ${reason}.`);
  }
}

/** The digits of digits × 10^exponent when that is an integer of at most 19 digits. */
function integerDigits(digits: string, exponent: number): string | undefined {
  let start = 0;
  while (digits[start] === '0') start += 1;
  if (start === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const zeros = exponent + (digits.length - end);
  if (zeros < 0 || end - start + zeros > 19) return undefined;
  return digits.slice(start, end) + '0'.repeat(zeros);
}
