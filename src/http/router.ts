import type { MaybePromise } from '../maybe-promise.ts';
import type { RequestContext } from './context.ts';
import { deprecationHeaders } from './deprecation.ts';
import { refuse } from './errors.ts';
import type { ReadyOperation } from './operation.ts';
import { type PerformRules, perform } from './perform.ts';
import { respondRefusal } from './respond.ts';
import { VERSIONED_HEADERS } from './standard-headers.ts';

/** In the order of the Allow header. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** An operation in its place. */
export interface Route extends ReadyOperation {
  /** What each of its answers carries. */
  readonly headers: Headers;
  /** The same, for those in JSON. */
  readonly jsonHeaders: Headers;
}

export interface Router {
  /** Answers a request whose credential was accepted. */
  dispatch(request: Request, ctx: RequestContext): MaybePromise<Response>;
}

/** Mounts operations under `/v1`. Their deprecation links are built from `baseUrl`. */
export function createRouter(
  operations: readonly ReadyOperation[],
  baseUrl: string,
  rules: PerformRules,
): Router {
  const root = new Place();
  for (const ready of operations) {
    const { method, path, deprecation } = ready.operation;
    const headers = {
      ...VERSIONED_HEADERS,
      ...(deprecation && deprecationHeaders(deprecation, baseUrl)),
    };
    root.below(`/v1${path}`).routes.set(method.toUpperCase(), {
      ...ready,
      headers: new Headers(headers),
      jsonHeaders: new Headers({ ...headers, 'Content-Type': 'application/json' }),
    });
  }
  return {
    dispatch(request, ctx) {
      // HEAD is answered as GET is, but without the content (RFC 9110 §9.3.2).
      const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
      const parameters: Record<string, string> = {};
      const place = find(root, ctx.path, 1, parameters, ({ routes }) => routes.has(method));
      const route = place?.routes.get(method);
      if (route === undefined) return refuseOther(root, ctx);
      ctx.route = route;
      return perform(route, request, ctx, parameters, rules);
    },
  };
}

/** What is at a path, and below it: segments that are spelled out, or one parameter. */
class Place {
  readonly routes = new Map<string, Route>();
  readonly named = new Map<string, Place>();
  parameter: { readonly name: string; readonly place: Place } | undefined;

  /** The place at a pattern such as `/v1/pets/{petId}`, made where it is not there yet. */
  below(pattern: string): Place {
    return pattern
      .split('/')
      .slice(1)
      .reduce<Place>((place, segment) => place.#child(segment), this);
  }

  #child(segment: string): Place {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name !== undefined) {
      this.parameter ??= { name, place: new Place() };
      return this.parameter.place;
    }
    const known = this.named.get(segment) ?? new Place();
    this.named.set(segment, known);
    return known;
  }
}

/**
 * The first place at a path that `isWanted`, with the values of its parameters. A segment that is
 * spelled out comes before a parameter: `/pets/batch` before `/pets/{petId}`.
 * @param start where the segment that names a place below this one begins.
 */
function find(
  place: Place,
  path: string,
  start: number,
  parameters: Record<string, string>,
  isWanted: (place: Place) => boolean,
): Place | undefined {
  if (start > path.length) return isWanted(place) ? place : undefined;
  const slash = path.indexOf('/', start);
  const end = slash === -1 ? path.length : slash;
  const segment = path.slice(start, end);
  const named = place.named.get(segment);
  const found = named && find(named, path, end + 1, parameters, isWanted);
  // A path that ends in a slash has an empty segment after it, which names nothing.
  if (found !== undefined || place.parameter === undefined || segment === '') return found;
  const { name, place: below } = place.parameter;
  const foundBelow = find(below, path, end + 1, parameters, isWanted);
  if (foundBelow !== undefined) parameters[name] = decode(segment);
  return foundBelow;
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Refuses a path that no operation has, or none with the method: then Allow names those of all places at the path. */
function refuseOther(root: Place, ctx: RequestContext): Response {
  const known = new Set<string>();
  find(root, ctx.path, 1, {}, ({ routes }) => {
    for (const method of routes.keys()) known.add(method);
    return false;
  });
  if (known.size === 0) return respondRefusal(ctx, refuse('route_not_found'));
  const allowed = METHODS.filter((method) => known.has(method === 'HEAD' ? 'GET' : method));
  const headers = { Allow: allowed.join(', ') };
  return respondRefusal(ctx, refuse('method_not_allowed', undefined, headers));
}
