import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { methodNotAllowed, RETRY_SOON, refuse } from '../contract/errors.ts';
import type { Middleware, RequestHandler } from '../middleware/middleware.ts';
import { type HealthCheck, isHealthCheck } from '../request/health-check.ts';
import { type AssetContent, serveAsset } from '../response/asset.ts';
import { respond, respondJson, respondRefusal, respondUnmet } from '../response/respond.ts';
import { isVersioned } from '../response/standard-headers.ts';

/** Files that are loaded together, at the first request for a path of theirs. */
export interface PublicFiles {
  /** Matches all paths that the files can have. */
  readonly paths: RegExp;
  /** Loads the files by path. Called once, unless it fails. */
  readonly load: () => Promise<ReadonlyMap<string, AssetContent | Redirect>>;
}

/** Where the file of a former path is now. A browser keeps the fragment. */
interface Redirect {
  readonly location: string;
}

export interface PublicEndpointDeps {
  /** Rejects if the service cannot do its work. `writes` is false while only reads work. */
  readonly checkHealth: () => MaybePromise<{ readonly writes: boolean }>;
  readonly isStopping: () => boolean;
  /** The documentation and the pages, with what they load. */
  readonly files: readonly PublicFiles[];
}

/** The body while everything works. It stays as it is because some monitors compare it. */
const OK = { status: 'ok' };

/** A base URL without `/v1` leads here. */
const UNKNOWN = 'No operation has this path: operations are below /v1.';

/** The endpoints outside `/v1`, which need no credential: health and files. */
export function publicEndpoints(deps: PublicEndpointDeps): RequestHandler {
  const healthChecks: Readonly<Record<HealthCheck, RequestHandler>> = {
    '/livez': (_request, ctx) => respondUnmet(ctx, null) ?? respondJson(ctx, 200, OK),
    '/readyz': (_request, ctx) =>
      deps.isStopping()
        ? respondRefusal(ctx, refuse('unavailable', 'The service is stopping.', RETRY_SOON))
        : chain(
            deps.checkHealth(),
            ({ writes }) =>
              respondUnmet(ctx, null) ?? respondJson(ctx, 200, writes ? OK : { ...OK, writes }),
          ),
  };
  const files = deps.files.map(({ paths, load }) => ({ paths, find: serveFiles(load) }));
  const find = (path: string): MaybePromise<RequestHandler | undefined> => {
    if (isHealthCheck(path)) return healthChecks[path];
    return files.find(({ paths }) => paths.test(path))?.find(path);
  };
  return (request, ctx) =>
    chain(find(ctx.path), (endpoint) => {
      if (endpoint === undefined) return respondRefusal(ctx, refuse('route_not_found', UNKNOWN));
      if (ctx.method === 'GET' || ctx.method === 'HEAD') return endpoint(request, ctx);
      return respondRefusal(ctx, methodNotAllowed('GET, HEAD'));
    });
}

/** Finds files that are loaded together, at the first request. After a failure, the next request tries again. */
function serveFiles(
  load: PublicFiles['load'],
): (path: string) => Promise<RequestHandler | undefined> {
  let loading: Promise<Map<string, RequestHandler>> | undefined;
  const loadEndpoints = async () =>
    new Map([...(await load())].map(([path, file]) => [path, endpointOf(file)]));
  return async (path) => {
    loading ??= loadEndpoints().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return (await loading).get(path);
  };
}

function endpointOf(file: AssetContent | Redirect): RequestHandler {
  if ('location' in file) {
    const headers = { Location: file.location, 'Cache-Control': 'no-cache' };
    return (_request, ctx) => respond(ctx, 308, headers);
  }
  return serveAsset(file);
}

/** Passes requests outside `/v1` to another handler. */
export function handleOutsideV1(outside: RequestHandler): Middleware {
  return (request, ctx, next) =>
    isVersioned(ctx.path) ? next(request, ctx) : outside(request, ctx);
}
