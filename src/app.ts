import type { Clock } from './clock.ts';
import { authenticated, type VerifyKey } from './http/authenticate.ts';
import { createContext } from './http/context.ts';
import { DeadlineExceeded, withinDeadline } from './http/deadline.ts';
import { type Refusal, refuse } from './http/errors.ts';
import { answerFailures } from './http/failures.ts';
import { openPaths, versionedOnly } from './http/open-paths.ts';
import { type BaseUrls, openApiDocument } from './http/openapi.ts';
import type { BoundOperation, ReadyOperation } from './http/operation.ts';
import { createRouter } from './http/router.ts';
import { through } from './http/stage.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Observe } from './observe/observation.ts';
import { observeRequests } from './observe/observe-requests.ts';
import type { UsageCounter } from './observe/usage.ts';
import { petOperations } from './pets/routes.ts';
import { type Database, type Readers, StorageError, type Stores } from './storage/database.ts';

export interface AppDeps {
  readonly database: Database;
  readonly verifyKey: VerifyKey;
  readonly usage: UsageCounter;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly generateRequestId: () => string;
  readonly baseUrls: BaseUrls;
  /** The one of `baseUrls` that this process serves: links begin with it. */
  readonly baseUrl: string;
  readonly requestTimeoutMs: number;
  /** True once the process was told to stop. */
  readonly isStopping: () => boolean;
}

export interface App {
  fetch(request: Request): MaybePromise<Response>;
}

/** Every operation of the service. */
export const OPERATIONS: readonly BoundOperation<Readers & Settings, Stores & Settings>[] = [
  ...petOperations,
];

/** What handlers need beside storage. */
interface Settings {
  /** The base address that links begin with. */
  readonly baseUrl: string;
}

/** Gives an operation what it works on. One that writes is one transaction, from its first look to its answer. */
function makeReady(
  bound: (typeof OPERATIONS)[number],
  database: Database,
  settings: Settings,
): ReadyOperation {
  const { operation } = bound;
  if ('reads' in bound)
    return { operation, handle: bound.reads({ ...database.read, ...settings }) };
  const { writes } = bound;
  return {
    operation,
    handle: (input) => database.write((stores) => writes({ ...stores, ...settings })(input)),
  };
}

/** The whole service as a function from request to response: it listens to nothing and reads no environment. */
export function createApp(deps: AppDeps): App {
  const { database, observe, usage, clock, baseUrl } = deps;
  const ready = OPERATIONS.map((bound) => makeReady(bound, database, { baseUrl }));
  const router = createRouter(ready, { clock, baseUrl });
  const outside = openPaths({
    ping: () => database.ping(),
    isStopping: deps.isStopping,
    document: () => openApiDocument(OPERATIONS, deps.baseUrls),
  });
  const answer = through(
    [
      observeRequests(observe, usage, clock),
      answerFailures(toRefusal, (requestId, error) =>
        observe({ kind: 'request_failed', requestId, error }),
      ),
      withinDeadline(deps.requestTimeoutMs),
      versionedOnly(outside),
      authenticated(deps.verifyKey),
    ],
    (request, ctx) => router.dispatch(request, ctx),
  );
  return { fetch: (request) => answer(request, createContext(request, deps.generateRequestId)) };
}

const RETRY_AFTER_SECONDS = '1';

/** What a client is told of a failure inside. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof DeadlineExceeded) return refuse('deadline_exceeded');
  if (!(error instanceof StorageError)) return refuse('internal_error');
  return error.failure === 'full'
    ? refuse('storage_full')
    : refuse('unavailable', undefined, { 'Retry-After': RETRY_AFTER_SECONDS });
}
