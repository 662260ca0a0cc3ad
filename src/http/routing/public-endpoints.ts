import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { refuse } from '../contract/errors.ts';
import type { Middleware, RequestHandler } from '../middleware/middleware.ts';
import type { RequestContext } from '../request/context.ts';
import { renderExactJson } from '../request/exact-json.ts';
import { type AssetContent, type AssetHandler, serveAsset } from '../response/asset.ts';
import { respondJson, respondRefusal } from '../response/respond.ts';
import { isVersioned } from '../response/standard-headers.ts';

/** An HTML page with the headers that it needs. */
interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PublicEndpointDeps {
  /** Resolves if the service can do its work, and rejects otherwise. */
  readonly ping: () => MaybePromise<void>;
  readonly isStopping: () => boolean;
  /** The OpenAPI document. Called once, since generating it takes milliseconds. */
  readonly document: () => object;
  readonly docsPage: () => Page;
  /** The files of the console by path, or undefined if it is switched off. Called once, unless it fails. */
  readonly consoleFiles: (() => Promise<ReadonlyMap<string, AssetContent>>) | undefined;
}

type Endpoint = (ctx: RequestContext, request: Request) => MaybePromise<Response>;

/** The endpoints outside `/v1`, which need no credential: health and documentation. */
export function publicEndpoints(deps: PublicEndpointDeps): RequestHandler {
  const document = serveAsset(() => ({
    text: renderExactJson(deps.document()),
    contentType: 'application/json',
  }));
  const docs = serveAsset(() => {
    const { html, headers } = deps.docsPage();
    return { text: html, contentType: 'text/html; charset=utf-8', headers };
  });
  const endpoints: Readonly<Record<string, Endpoint>> = {
    '/livez': (ctx) => respondJson(ctx, 200, { status: 'ok' }),
    '/readyz': (ctx) =>
      deps.isStopping()
        ? respondRefusal(ctx, refuse('unavailable', 'The service is stopping.'))
        : chain(deps.ping(), () => respondJson(ctx, 200, { status: 'ok' })),
    '/openapi.json': (ctx, request) => document(request, ctx),
    '/docs': (ctx, request) => docs(request, ctx),
  };
  const findFile = deps.consoleFiles && serveFiles(deps.consoleFiles);
  const find = (path: string): MaybePromise<Endpoint | undefined> => {
    if (Object.hasOwn(endpoints, path)) return endpoints[path];
    return CONSOLE_PATHS.test(path) ? findFile?.(path) : undefined;
  };
  return (request, ctx) =>
    chain(find(ctx.path), (endpoint) => {
      if (endpoint === undefined) return respondRefusal(ctx, refuse('route_not_found'));
      if (ctx.method === 'GET' || ctx.method === 'HEAD') return endpoint(ctx, request);
      return respondRefusal(ctx, refuse('method_not_allowed', undefined, { Allow: 'GET, HEAD' }));
    });
}

const CONSOLE_PATHS = /^\/(?:console\/.*)?$/;

/** Finds files that are loaded together, at the first request. After a failure, the next request tries again. */
function serveFiles(
  load: () => Promise<ReadonlyMap<string, AssetContent>>,
): (path: string) => Promise<Endpoint | undefined> {
  let loading: Promise<Map<string, AssetHandler>> | undefined;
  const loadHandlers = async () =>
    new Map([...(await load())].map(([path, content]) => [path, serveAsset(() => content)]));
  return async (path) => {
    loading ??= loadHandlers().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const handler = (await loading).get(path);
    return handler && ((ctx, request) => handler(request, ctx));
  };
}

/** Passes requests outside `/v1` to another handler. */
export function separateVersioned(outside: RequestHandler): Middleware {
  return (request, ctx, next) =>
    isVersioned(ctx.path) ? next(request, ctx) : outside(request, ctx);
}
