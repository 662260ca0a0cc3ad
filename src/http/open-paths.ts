import { chain, type MaybePromise } from '../maybe-promise.ts';
import type { RequestContext } from './context.ts';
import { DOCS_HEADERS, docsPage } from './docs-page.ts';
import { refuse } from './errors.ts';
import { renderExactJson } from './exact-json.ts';
import type { OpenApiDocument } from './openapi.ts';
import { respond, respondJson, respondRefusal } from './respond.ts';
import type { Answerer, Stage } from './stage.ts';
import { isVersioned } from './standard-headers.ts';

export interface OpenPathsDeps {
  /** Resolves when the service can do its work, and rejects otherwise. */
  readonly ping: () => MaybePromise<void>;
  readonly isStopping: () => boolean;
  /** Generates the document. Asked once: it takes milliseconds, and whoever asks needs no credential. */
  readonly document: () => OpenApiDocument;
}

/** Anyone may keep a document, and asks whether it still holds: another version may be running. */
const DOCUMENT_HEADERS = { 'Cache-Control': 'no-cache' };

type Page = (ctx: RequestContext) => MaybePromise<Response>;

/** What is outside `/v1` needs no credential: health, and the documentation. */
export function openPaths(deps: OpenPathsDeps): Answerer {
  const json = once(() => renderExactJson(deps.document()));
  const html = once(() => docsPage(deps.document()));
  const pages: Readonly<Record<string, Page>> = {
    '/livez': (ctx) => respondJson(ctx, 200, { status: 'ok' }),
    '/readyz': (ctx) => {
      if (deps.isStopping())
        return respondRefusal(ctx, refuse('unavailable', 'The service is stopping.'));
      return chain(deps.ping(), () => respondJson(ctx, 200, { status: 'ok' }));
    },
    '/openapi.json': (ctx) => respond(ctx, 200, json(), 'application/json', DOCUMENT_HEADERS),
    '/docs': (ctx) =>
      respond(ctx, 200, html(), 'text/html; charset=utf-8', {
        ...DOCUMENT_HEADERS,
        ...DOCS_HEADERS,
      }),
  };
  return (_request, ctx) => {
    const page = Object.hasOwn(pages, ctx.path) ? pages[ctx.path] : undefined;
    if (page === undefined) return respondRefusal(ctx, refuse('route_not_found'));
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return page(ctx);
    return respondRefusal(ctx, refuse('method_not_allowed', undefined, { Allow: 'GET, HEAD' }));
  };
}

/** What was made the first time, from then on. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Sends what is outside `/v1` to `outside`. */
export function versionedOnly(outside: Answerer): Stage {
  return (request, ctx, next) =>
    isVersioned(ctx.path) ? next(request, ctx) : outside(request, ctx);
}
