import { escapeControlCharacters } from '../../control-characters.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { Refusal, refuse } from '../contract/errors.ts';
import { decodeUtf8, InvalidJson, type JsonObject, parseExactJson } from './exact-json.ts';
import { isJsonObject, MAX_BODY_BYTES } from './json-object.ts';
import { parseMediaType } from './media-type.ts';

const JSON_TYPES = ['application/json'];
const PATCH_TYPES = ['application/merge-patch+json', 'application/json'];
const UTF_8 = ['utf-8', 'utf8'];

export interface ParsedBody {
  readonly bytes: Uint8Array;
  readonly object: JsonObject;
}

/**
 * Reads a request's body as one JSON object. Checks the media type, then the size, then the syntax.
 * A body without a Content-Type counts as JSON.
 */
export function readJsonObject(
  request: Request,
  isMergePatch: boolean,
): MaybePromise<ParsedBody | Refusal> {
  const types = isMergePatch ? PATCH_TYPES : JSON_TYPES;
  const problem = mediaTypeProblem(request.headers, types);
  if (problem !== undefined) {
    const accepted = { [isMergePatch ? 'Accept-Patch' : 'Accept']: types.join(', ') };
    return refuse('unsupported_media_type', problem, accepted);
  }
  return chain(readBytes(request), (bytes) => {
    if (bytes instanceof Refusal) return bytes;
    if (bytes.length === 0) return refuse('body_required');
    try {
      const object = parseExactJson(decodeUtf8(bytes));
      return isJsonObject(object)
        ? { bytes, object }
        : refuse('invalid_json', 'The body must be a JSON object.');
    } catch (error) {
      if (error instanceof InvalidJson) return refuse('invalid_json', error.message);
      throw error;
    }
  });
}

/** Why the body has none of these types, in UTF-8; undefined if it has one. At most one charset may be given. */
function mediaTypeProblem(headers: Headers, types: readonly string[]): string | undefined {
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    return `Content-Encoding ${shown(encoding)} is not supported: send the body without it.`;
  const type = headers.get('content-type');
  if (type === null || types.includes(type)) return undefined;
  const sent = parseMediaType(type);
  const problem = `Content-Type ${shown(type)} is not supported: send ${types.join(' or ')}`;
  if (sent === undefined || !types.includes(sent.type)) return `${problem}.`;
  const { charsets } = sent;
  const isUtf8 = charsets.length <= 1 && charsets.every((charset) => UTF_8.includes(charset));
  return isUtf8 ? undefined : `${problem} in UTF-8.`;
}

const MAX_SHOWN = 100;

/** A header of the client in a message. */
const shown = (value: string): string =>
  escapeControlCharacters(
    value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN).toWellFormed()}…` : value || '""',
  );

/** Reads the body. Counts the bytes on arrival because the declared length may be wrong. */
function readBytes(request: Request): Promise<Uint8Array | Refusal> | Refusal {
  const declared = request.headers.get('content-length');
  if (Number(declared) > MAX_BODY_BYTES) return refuse('content_too_large');
  // Reading `body` creates a stream, which takes longer than reading a small body.
  const bytes = declared === null ? readStream(request.body) : request.bytes();
  return bytes.catch((error: unknown) => {
    // The client receives no response, but the log must not show a failure of the service.
    if (error instanceof DOMException && error.name === 'AbortError') {
      return refuse('invalid_json', 'The connection was closed before the whole body arrived.');
    }
    throw error;
  });
}

async function readStream(
  stream: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array | Refusal> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return refuse('content_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
