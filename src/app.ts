import type { Keyring } from './api-keys/keyring.ts';
import { apiKeyOperations } from './api-keys/routes.ts';
import { type AnyOperation, bindOperations } from './bind-operations.ts';
import { categoryOperations } from './categories/routes.ts';
import { type Clock, type MonotonicClock, monotonicMs } from './clock.ts';
import { buildConsole } from './console/build-console.ts';
import { CONSOLE_PATH, consoleFiles, SWITCHED_OFF } from './console/console-files.ts';
import { escapeControlCharacters } from './control-characters.ts';
import { DamagedEvent } from './events/event-content.ts';
import { EventStreams, type StreamIntervals } from './events/event-streams.ts';
import { eventOperations } from './events/routes.ts';
import { withoutExtensions } from './http/contract/additions.ts';
import { RETRY_SOON, type Refusal, refuse } from './http/contract/errors.ts';
import type { BaseUrls, OpenApiDocument } from './http/document/openapi.ts';
import { authenticate } from './http/middleware/authenticate.ts';
import { allowOrigins } from './http/middleware/cors.ts';
import { DeadlineExceeded, enforceDeadline } from './http/middleware/deadline.ts';
import { handleFailures } from './http/middleware/failures.ts';
import { compose } from './http/middleware/middleware.ts';
import { limitRequests, type RateLimit } from './http/middleware/rate-limit.ts';
import { attachCache, cacheResponses } from './http/middleware/response-cache.ts';
import { requireWellFormed } from './http/middleware/well-formed.ts';
import type { AddressOf } from './http/request/client-address.ts';
import { createContext } from './http/request/context.ts';
import { renderExactJson } from './http/request/exact-json.ts';
import type { AssetContent } from './http/response/asset.ts';
import {
  handleOutsideV1,
  type PublicFiles,
  publicEndpoints,
} from './http/routing/public-endpoints.ts';
import { createRouter } from './http/routing/router.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Observe } from './observe/observation.ts';
import { observeRequests } from './observe/observe-requests.ts';
import type { UsageCounter } from './observe/usage.ts';
import { orderOperations } from './orders/routes.ts';
import { petOperations } from './pets/routes.ts';
import { type Database, StorageError } from './storage/database.ts';
import { usageOperations } from './usage/routes.ts';
import { webhookOperations } from './webhooks/routes.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';

/** The settings that decide how the service responds. */
export interface AppOptions {
  /** False: only the three specified operations, without our additions. */
  readonly extensions: boolean;
  /** Whether to serve the page for the staff. */
  readonly console: boolean;
  readonly requireIfMatch: boolean;
  readonly requireKnownCategory: boolean;
  /** How long a placed order holds its animal. */
  readonly orderHoldMs: number;
  /** The origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  readonly rateLimit: RateLimit | undefined;
  readonly requestTimeoutMs: number;
  /** The maximum number of streams of events. */
  readonly eventStreams: number;
}

export interface AppDeps {
  readonly options: AppOptions;
  readonly database: Database;
  readonly keyring: Keyring;
  readonly usage: UsageCounter;
  readonly observe: Observe;
  readonly clock: Clock & MonotonicClock;
  readonly generateRequestId: () => string;
  /** Undefined if the log does not contain the addresses of clients. */
  readonly addressOf: AddressOf | undefined;
  readonly baseUrls: BaseUrls;
  /** The one of `baseUrls` that this process serves. Links start with it. */
  readonly baseUrl: string;
  /** True after the process received the signal to stop. */
  readonly isStopping: () => boolean;
  /** Lets the response of a request take any time. Default: every response may. */
  readonly keepOpen?: (request: Request) => void;
  /** Undefined: webhooks cannot be created. */
  readonly sender?: WebhookSender | undefined;
  /** For tests. */
  readonly streamIntervals?: StreamIntervals;
}

export interface App {
  /** @param arrivedMs when the request arrived, on the monotonic clock: the time that it waited counts. */
  fetch(request: Request, arrivedMs?: number): MaybePromise<Response>;
  readonly streams: EventStreams;
}

const ALL_OPERATIONS: readonly AnyOperation[] = [
  ...petOperations,
  ...categoryOperations,
  ...orderOperations,
  ...eventOperations,
  ...webhookOperations,
  ...apiKeyOperations,
  ...usageOperations,
];

/** All operations, or only the specified ones as specified. */
export const operationsOf = (extensions: boolean): readonly AnyOperation[] =>
  extensions
    ? ALL_OPERATIONS
    : ALL_OPERATIONS.filter(({ operation }) => operation.stability === undefined).map((bound) => ({
        ...bound,
        operation: withoutExtensions(bound.operation),
      }));

/** Creates the service as a function from request to response. It does not listen and reads no environment. */
export function createApp(deps: AppDeps): App {
  const { options, database, observe, usage, clock, baseUrl, keyring, addressOf } = deps;
  const { extensions, corsOrigins, rateLimit } = options;
  const operations = operationsOf(extensions);
  const requireKnownCategory = options.requireKnownCategory && extensions;
  const streams = new EventStreams({
    events: database.read.events,
    holderOf: (keyId) => keyring.holderOf(database.read.apiKeys, keyId),
    version: () =>
      database.versionsKeysOnly
        ? undefined
        : `${database.version()} ${database.changesOf(['events'])}`,
    observe,
    clock,
    limit: options.eventStreams,
    intervals: deps.streamIntervals,
  });
  const handlerDeps = {
    ...options,
    streams,
    sender: deps.sender,
    requireKnownCategory,
    baseUrl,
    clock,
    observe,
    keyring,
    operations: operations.map(({ operation }) => operation),
  };
  const route = createRouter(bindOperations(operations, database, handlerDeps), baseUrl, {
    clock,
    requireIfMatch: options.requireIfMatch,
    entityTags: extensions,
    keepOpen: deps.keepOpen ?? (() => {}),
  });
  const outside = publicEndpoints({
    checkHealth: () => database.checkHealth(),
    isStopping: deps.isStopping,
    files: documentation(deps, operations),
  });
  const handle = compose(
    [
      observeRequests(observe, usage, clock, addressOf),
      // Outside of the failures, so that a page can read their responses too.
      ...(corsOrigins.length > 0 ? [allowOrigins(corsOrigins)] : []),
      handleFailures(toRefusal, (requestId, error) =>
        observe({ kind: 'request_failed', requestId, error }),
      ),
      enforceDeadline(options.requestTimeoutMs),
      handleOutsideV1(compose([requireWellFormed(true)], outside)),
      attachCache(() => database.version()),
      authenticate(
        (key) => keyring.verify(database.read.apiKeys, key),
        clock,
        (request, { id: requestId }, { reason, hint, keyId }) =>
          observe({
            kind: 'credential_refused',
            requestId,
            reason,
            hint,
            keyId,
            clientAddress: addressOf?.(request) || undefined,
          }),
      ),
      ...(rateLimit ? [limitRequests(rateLimit, clock)] : []),
      requireWellFormed(extensions),
      ...(database.versionsKeysOnly
        ? []
        : [cacheResponses(clock, ({ usedReaders }) => database.changesOf(usedReaders))]),
    ],
    route,
  );
  return {
    fetch: (request, arrivedMs = monotonicMs()) =>
      handle(request, createContext(request, arrivedMs, deps.generateRequestId)),
    streams,
  };
}

/** The documentation and the pages. Their code is loaded at their first request. */
function documentation(
  { options, baseUrl, baseUrls }: AppDeps,
  operations: readonly AnyOperation[],
): readonly PublicFiles[] {
  const { extensions } = options;
  // Each group of files generates it once, which takes some milliseconds.
  const loadDocument = async (): Promise<OpenApiDocument> => {
    const { openApiDocument } = await import('./http/document/openapi.ts');
    const { webhookMessages } = await import('./webhooks/webhook-messages.ts');
    return openApiDocument(operations, baseUrls, extensions, webhookMessages);
  };
  const document = {
    paths: /^\/openapi\.json$/,
    load: async () => {
      const text = escapeControlCharacters(renderExactJson(await loadDocument()));
      return new Map([['/openapi.json', { text, contentType: 'application/json' }]]);
    },
  };
  const reference = {
    paths: /^\/docs(?:\/|$)/,
    load: async () => {
      const { referenceFiles } = await import('./reference/reference-files.ts');
      return referenceFiles(await loadDocument(), baseUrl, extensions);
    },
  };
  const console = { paths: /^\/(?:console\/.*)?$/, load: () => loadConsole(extensions) };
  return [document, reference, ...(options.console ? [console] : [])];
}

const loadConsole = async (extensions: boolean): Promise<ReadonlyMap<string, AssetContent>> =>
  extensions ? consoleFiles(await buildConsole()) : new Map([[CONSOLE_PATH, SWITCHED_OFF]]);

/** The public error for an internal failure. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof DeadlineExceeded) return refuse('deadline_exceeded');
  const isEvent = error instanceof DamagedEvent;
  if (!(error instanceof StorageError || isEvent)) return refuse('internal_error');
  if (!isEvent && error.failure === 'full') return refuse('storage_full');
  const isDamaged = isEvent || error.failure === 'damaged';
  const message = isDamaged ? 'The database is damaged: see the log of the service.' : undefined;
  return refuse('unavailable', message, RETRY_SOON);
}
