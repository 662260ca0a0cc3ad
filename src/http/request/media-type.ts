const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = `(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")`;

/** White space is allowed only after a semicolon and after a parameter, so that an input matches in one way. */
const MEDIA_TYPE = new RegExp(
  `^(${TOKEN}/${TOKEN})[ \\t]*((?:;[ \\t]*(?:${PARAMETER}[ \\t]*)?)*)$`,
);
const PARAMETERS = new RegExp(PARAMETER, 'g');

export interface MediaType {
  /** Type and subtype, in lower case. */
  readonly type: string;
  /** The values of all `charset` parameters, in lower case. */
  readonly charsets: readonly string[];
}

/** Parses a Content-Type header (RFC 9110 §8.3.1). Returns undefined if it is invalid. */
export function parseMediaType(text: string): MediaType | undefined {
  const [, type, parameters = ''] = MEDIA_TYPE.exec(text) ?? [];
  if (type === undefined) return undefined;
  const charsets = [...parameters.matchAll(PARAMETERS)]
    .filter(([, name]) => name?.toLowerCase() === 'charset')
    .map(([, , token, quoted = '']) => token ?? quoted.replaceAll(/\\(.)/g, '$1'));
  return { type: type.toLowerCase(), charsets: charsets.map((charset) => charset.toLowerCase()) };
}
