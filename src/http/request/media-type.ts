const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = `(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")`;

/** Blanks after a semicolon and after a parameter alone: each has one place, so that no input is read in many ways. */
const MEDIA_TYPE = new RegExp(
  `^(${TOKEN}/${TOKEN})[ \\t]*((?:;[ \\t]*(?:${PARAMETER}[ \\t]*)?)*)$`,
);
const PARAMETERS = new RegExp(PARAMETER, 'g');

export interface MediaType {
  /** Type and subtype, in lower case. */
  readonly type: string;
  /** The values of the parameter `charset`, in lower case: each time that it was given. */
  readonly charsets: readonly string[];
}

/** Reads a Content-Type header (RFC 9110 §8.3.1); undefined where it breaks the grammar. */
export function parseMediaType(text: string): MediaType | undefined {
  const [, type, parameters = ''] = MEDIA_TYPE.exec(text) ?? [];
  if (type === undefined) return undefined;
  const charsets = [...parameters.matchAll(PARAMETERS)]
    .filter(([, name]) => name?.toLowerCase() === 'charset')
    .map(([, , token, quoted = '']) => token ?? quoted.replaceAll(/\\(.)/g, '$1'));
  return { type: type.toLowerCase(), charsets: charsets.map((charset) => charset.toLowerCase()) };
}
