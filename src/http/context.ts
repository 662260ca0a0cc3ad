import type { Memory } from './remembering.ts';
import type { KeptReply } from './respond.ts';
import type { Route } from './router.ts';

/** Who sent the request, once the credential was accepted. */
export interface Principal {
  readonly keyId: number;
  readonly scopes: ReadonlySet<string>;
  /** When the key ends, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly untilMs: number;
}

/** What is known of one request, filled in on its way. */
export interface RequestContext {
  /** The caller's X-Request-Id, or ours. */
  readonly id: string;
  /** In milliseconds of the monotonic clock. */
  readonly arrivedMs: number;
  readonly method: string;
  /** The path, percent-decoded except for reserved characters. */
  readonly path: string;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  principal: Principal | undefined;
  /** The operation that the request is for, once the credential was accepted. */
  route: Route | undefined;
  /** `Prefer: handling=strict` was sent and is honoured. */
  strict: boolean;
  /** What is known of the database as it is now; undefined where it cannot be told whether it changed. */
  memory: Memory | undefined;
  /** Whether the answer is to be kept, so that it can be given again. */
  keepsReply: boolean;
  /** The answer to keep, once it was made. */
  reply: KeptReply | undefined;
}

/** A caller's own request id is kept when it is harmless in a header and a log. */
const ACCEPTABLE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** An id with an API key in it would put the key into the log. */
const HOLDS_KEY = /ask_(?:live|test)_/i;

export function createContext(
  request: Request,
  arrivedMs: number,
  generateId: () => string,
): RequestContext {
  const callersId = request.headers.get('x-request-id');
  const { path, query } = splitTarget(request.url);
  return {
    id: callersId !== null && isAcceptable(callersId) ? callersId : generateId(),
    arrivedMs,
    method: request.method,
    path,
    query,
    principal: undefined,
    route: undefined,
    strict: false,
    memory: undefined,
    keepsReply: false,
    reply: undefined,
  };
}

const isAcceptable = (id: string): boolean => ACCEPTABLE_ID.test(id) && !HOLDS_KEY.test(id);

/**
 * Splits a request's URL. Not `new URL`: it costs more than the rest of the routing, and it
 * throws on what the runtime hands over when the Host header is nonsense (a bare path).
 */
function splitTarget(url: string): { path: string; query: string } {
  const authority = url.indexOf('://');
  const start = authority === -1 ? 0 : url.indexOf('/', authority + 3);
  const fragment = url.indexOf('#', start);
  const end = fragment === -1 ? url.length : fragment;
  const mark = url.indexOf('?', start);
  const pathEnd = mark === -1 || mark > end ? end : mark;
  return {
    path: decodePath(url.slice(start, pathEnd)),
    query: url.slice(Math.min(pathEnd + 1, end), end),
  };
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    // The router decodes parameters itself: a percent sign that was encoded has to reach it as one.
    return decodeURI(path.replaceAll('%25', '%2525'));
  } catch {
    return path;
  }
}
