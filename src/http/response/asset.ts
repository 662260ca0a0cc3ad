import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { preferredCoding } from '../request/content-coding.ts';
import type { RequestContext } from '../request/context.ts';
import { etagOf } from './entity-tags.ts';
import { respond, respondUnmet } from './respond.ts';
import type { Fields } from './standard-headers.ts';

/** Content that is the same for all clients and for the whole life of the process, such as a document. */
export interface AssetContent {
  readonly text: string;
  readonly contentType: string;
  /** The headers that it needs beside those of every asset, or instead of them. */
  readonly headers?: Fields;
}

/** Caches may store an asset, but must check that it is current: the next version may already run. */
const ASSET_HEADERS = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** In the order of preference. */
const COMPRESS = {
  // The highest quality takes 30 times as long for 9 % less, and the first request waits for it.
  br: (bytes: Uint8Array) =>
    compressBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: 5,
      },
    }),
  gzip: (bytes: Uint8Array) => compressGzip(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

type Coding = keyof typeof COMPRESS;
const CODINGS = Object.keys(COMPRESS) as Coding[];

/** The content in one coding. Its tag is strong: it is a hash of exactly these bytes (RFC 9110 §8.8.3.3). */
interface Representation {
  /** A Blob: the responses share its bytes. With an array, each slow response would keep a copy. */
  readonly body: Blob;
  readonly headers: Fields;
}

/**
 * Returns a handler of GET and HEAD for an asset: with a strong entity tag, conditional (304), and
 * compressed as the client allows (RFC 9110 §12.5.3, §13.1.2). Each coding is computed once, at its
 * first request, by a thread of the runtime.
 */
export function serveAsset(content: AssetContent) {
  const representations = new Map<Coding | undefined, MaybePromise<Representation>>();
  const represent = (coding: Coding | undefined): MaybePromise<Representation> => {
    const known = representations.get(coding);
    if (known !== undefined) return known;
    const representation = encode(content, coding);
    representations.set(coding, representation);
    // After a failure, such as too little memory, the next request tries again.
    if (representation instanceof Promise)
      representation.catch(() => representations.delete(coding));
    return representation;
  };
  return (request: Request, ctx: RequestContext): MaybePromise<Response> => {
    const coding = preferredCoding(request.headers.get('accept-encoding'), CODINGS);
    return chain(represent(coding), ({ body, headers }) => {
      const { 'Content-Encoding': _coding, ...unencoded } = headers;
      return (
        respondUnmet(ctx, headers['ETag'] ?? null, unencoded) ??
        respond(ctx, 200, headers, body, content.contentType)
      );
    });
  };
}

function encode(
  { text, headers = {} }: AssetContent,
  coding: Coding | undefined,
): MaybePromise<Representation> {
  const common = { ...ASSET_HEADERS, ...headers };
  const plain = new TextEncoder().encode(text);
  if (coding === undefined) return representationOf(plain, common);
  return COMPRESS[coding](plain).then((compressed) =>
    representationOf(new Uint8Array(compressed), { ...common, 'Content-Encoding': coding }),
  );
}

const representationOf = (bytes: Uint8Array<ArrayBuffer>, headers: Fields): Representation => ({
  body: new Blob([bytes]),
  headers: { ...headers, ETag: etagOf(bytes) },
});
