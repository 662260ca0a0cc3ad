/** The response headers of all operations: descriptions and schemas. */

interface HeaderSchema {
  readonly type: 'string';
  readonly enum?: string[];
  readonly maxLength?: number;
  readonly format?: string;
}

const oneOf = (...values: string[]): HeaderSchema => ({ type: 'string', enum: values });

/** Without a pattern: a quotation mark in one breaks the code that some tools generate. */
const text = (maxLength: number): HeaderSchema => ({ type: 'string', maxLength });

/** Common limits of clients and proxies for a header. */
const MAX_HEADER_LENGTH = 8192;

const LINKS = text(MAX_HEADER_LENGTH);

/** The headers with one description for all responses. */
const HEADERS = {
  'X-Request-Id': {
    description: "The id of the request: the client's own, or a generated one.",
    schema: text(128),
  },
  'Cache-Control': {
    description:
      'Always `private, no-cache`: no shared cache stores the response, and a private cache revalidates it before each use (RFC 9111).',
    schema: oneOf('private, no-cache'),
  },
  Vary: {
    description:
      'Always `Authorization, Prefer`; also `Origin` if pages of other origins may call the service (RFC 9110).',
    schema: oneOf('Authorization, Prefer', 'Authorization, Prefer, Origin'),
  },
  'X-Content-Type-Options': {
    description: 'Always `nosniff`: the content has the type that Content-Type names.',
    schema: oneOf('nosniff'),
  },
  'RateLimit-Policy': {
    description:
      'The number of requests allowed per window, and the window in seconds, if there is a limit.',
    schema: text(64),
  },
  RateLimit: {
    description:
      'The number of requests left, and the seconds until the window ends, if there is a limit.',
    schema: text(64),
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    schema: text(256),
  },
  'Retry-After': {
    description: 'The seconds to wait before a retry.',
    schema: text(16),
  },
  Accept: { description: 'The supported media type.', schema: oneOf('application/json') },
  'Accept-Patch': {
    description: 'The supported media types.',
    schema: oneOf('application/merge-patch+json, application/json'),
  },
  ETag: {
    description: 'The entity tag: it changes if and only if the content changes (RFC 9110).',
    schema: text(15),
  },
  'Preference-Applied': {
    description: 'Present if the request has `Prefer: handling=strict` (RFC 7240).',
    schema: oneOf('handling=strict'),
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the saved response to the first request.',
    schema: oneOf('true'),
  },
  Deprecation: {
    description: 'When the operation was deprecated (RFC 9745).',
    schema: text(20),
  },
  Sunset: {
    description: 'When the operation stops working (RFC 8594).',
    schema: text(29),
  },
  Link: {
    description: 'The documentation of the deprecation, and the replacement (RFC 8288).',
    schema: LINKS,
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** Components that responses refer to, so that the document contains each once. */
export const HEADER_COMPONENTS: Readonly<
  Record<string, { description: string; schema: HeaderSchema }>
> = HEADERS;

/** The schemas of headers that some operations describe in their own words. */
const OWN_SCHEMAS: Readonly<Record<string, HeaderSchema>> = {
  'Cache-Control': oneOf('no-store'),
  'X-Accel-Buffering': oneOf('no'),
  Link: LINKS,
  Location: { type: 'string', format: 'uri', maxLength: MAX_HEADER_LENGTH },
};

/** Describes the headers of a response: references to the components, and the operation's own. */
export const describeHeaders = (
  names: readonly HeaderName[],
  own: Readonly<Record<string, string>>,
) => ({
  ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  ...Object.fromEntries(
    Object.entries(own).map(([name, description]) => [
      name,
      { description, schema: OWN_SCHEMAS[name] ?? text(MAX_HEADER_LENGTH) },
    ]),
  ),
});
