import type { Keyring } from './api-keys/keyring.ts';
import { apiKeyOperations } from './api-keys/routes.ts';
import { categoryOperations } from './categories/routes.ts';
import { type Clock, type MonotonicClock, monotonicMs } from './clock.ts';
import { authenticated } from './http/authenticate.ts';
import { createContext } from './http/context.ts';
import { allowOrigins } from './http/cors.ts';
import { DeadlineExceeded, withinDeadline } from './http/deadline.ts';
import { Refusal, refuse } from './http/errors.ts';
import { answerFailures } from './http/failures.ts';
import { openPaths, versionedOnly } from './http/open-paths.ts';
import { type BaseUrls, openApiDocument } from './http/openapi.ts';
import {
  type BoundOperation,
  type Operation,
  type ReadyOperation,
  withoutExtensions,
} from './http/operation.ts';
import {
  type AddressOf,
  limitFailedCredentials,
  limitRequests,
  type RateLimit,
} from './http/rate-limit.ts';
import { remembering, repeatReplies } from './http/remembering.ts';
import { createRouter } from './http/router.ts';
import { through } from './http/stage.ts';
import { wellFormedOnly } from './http/well-formed.ts';
import { onceOnly, RequestsInFlight, retryableOf } from './idempotency/safe-retries.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Observe } from './observe/observation.ts';
import { observeRequests } from './observe/observe-requests.ts';
import type { UsageCounter } from './observe/usage.ts';
import { orderOperations } from './orders/routes.ts';
import { petOperations } from './pets/routes.ts';
import {
  type BlindChanges,
  type Database,
  type Readers,
  StorageError,
  type Stores,
} from './storage/database.ts';

/** What an operator decides about how the service answers. */
export interface AppRules {
  /** False: the three specified operations alone, without anything of ours. */
  readonly extensions: boolean;
  readonly requireIfMatch: boolean;
  readonly requireKnownCategory: boolean;
  /** How long a placed order holds its animal. */
  readonly orderHoldMs: number;
  /** The origins whose pages may read answers. */
  readonly corsOrigins: readonly string[];
  readonly rateLimit: RateLimit | undefined;
  readonly requestTimeoutMs: number;
}

export interface AppDeps {
  readonly rules: AppRules;
  readonly database: Database;
  readonly keyring: Keyring;
  readonly usage: UsageCounter;
  readonly observe: Observe;
  readonly clock: Clock & MonotonicClock;
  readonly generateRequestId: () => string;
  readonly addressOf: AddressOf;
  readonly baseUrls: BaseUrls;
  /** The one of `baseUrls` that this process serves: links begin with it. */
  readonly baseUrl: string;
  /** True once the process was told to stop. */
  readonly isStopping: () => boolean;
}

export interface App {
  /** @param arrivedMs when the request arrived, on the monotonic clock: what it waited since counts, too. */
  fetch(request: Request, arrivedMs?: number): MaybePromise<Response>;
}

/** What handlers need beside storage. */
type HandlerDeps = Pick<AppDeps, 'baseUrl' | 'clock' | 'keyring'> &
  Pick<AppRules, 'extensions' | 'requireKnownCategory' | 'orderHoldMs'>;

type AnyOperation = BoundOperation<
  Readers & HandlerDeps,
  Stores & HandlerDeps,
  BlindChanges & HandlerDeps,
  HandlerDeps
>;

const ALL_OPERATIONS: readonly AnyOperation[] = [
  ...petOperations,
  ...categoryOperations,
  ...orderOperations,
  ...apiKeyOperations,
];

/** Every operation of the service, or the specified ones as they are specified. */
export const operationsOf = (extensions: boolean): readonly AnyOperation[] =>
  extensions
    ? ALL_OPERATIONS
    : ALL_OPERATIONS.filter(({ operation }) => operation.stability === undefined).map((bound) => ({
        ...bound,
        operation: withoutExtensions(bound.operation),
      }));

/** The whole service as a function from request to response: it listens to nothing and reads no environment. */
export function createApp(deps: AppDeps): App {
  const { rules, database, observe, usage, clock, baseUrl, keyring } = deps;
  const { extensions, corsOrigins, rateLimit } = rules;
  const operations = operationsOf(extensions);
  const requireKnownCategory = rules.requireKnownCategory && extensions;
  const handlerDeps = { ...rules, requireKnownCategory, baseUrl, clock, keyring };
  const makeReady = readyMaker(database, handlerDeps);
  const router = createRouter(operations.map(makeReady), baseUrl, {
    clock,
    requireIfMatch: rules.requireIfMatch,
    entityTags: extensions,
  });
  const outside = openPaths({
    ping: () => database.ping(),
    isStopping: deps.isStopping,
    document: () => openApiDocument(operations, deps.baseUrls, extensions),
  });
  const answer = through(
    [
      observeRequests(observe, usage, clock),
      // Around the failures, so that a page can read those answers too.
      ...(corsOrigins.length > 0 ? [allowOrigins(corsOrigins)] : []),
      answerFailures(toRefusal, (requestId, error) =>
        observe({ kind: 'request_failed', requestId, error }),
      ),
      withinDeadline(rules.requestTimeoutMs),
      versionedOnly(through([wellFormedOnly()], outside)),
      ...(rateLimit ? [limitFailedCredentials(rateLimit, clock, deps.addressOf)] : []),
      remembering(() => database.version()),
      authenticated((key) => keyring.verify(database.read.apiKeys, key), clock),
      ...(rateLimit ? [limitRequests(rateLimit, clock)] : []),
      wellFormedOnly(),
      repeatReplies(clock),
    ],
    (request, ctx) => router.dispatch(request, ctx),
  );
  return {
    fetch: (request, arrivedMs = monotonicMs()) =>
      answer(request, createContext(request, arrivedMs, deps.generateRequestId)),
  };
}

/** Gives operations what they work on. One that writes is one transaction, from its first look to its answer. */
function readyMaker(database: Database, handlerDeps: HandlerDeps) {
  const inFlight = new RequestsInFlight();
  const isSafeToRetry = ({ method }: Operation) => method === 'post' && handlerDeps.extensions;

  return (bound: AnyOperation): ReadyOperation => {
    const { operation } = bound;
    if ('reads' in bound) {
      return { operation, handle: bound.reads({ ...database.read, ...handlerDeps }) };
    }
    const { writes, blindly } = bound;
    const handleBlindly = blindly?.when(handlerDeps)
      ? blindly.handler({ ...database.blind, ...handlerDeps })
      : undefined;
    return {
      operation,
      handle(input, asked) {
        const carryOut = (stores: Stores) => writes({ ...stores, ...handlerDeps })(input);
        const retryable = isSafeToRetry(operation) ? retryableOf(asked) : undefined;
        if (retryable === undefined) {
          return handleBlindly ? handleBlindly(input) : database.write(carryOut);
        }
        if (retryable instanceof Refusal) return retryable;
        return inFlight.only(retryable.scope, () =>
          database.write(
            (stores) =>
              onceOnly(retryable, stores.keptAnswers, handlerDeps.clock, () => carryOut(stores)),
            { isRepeatable: true },
          ),
        );
      },
    };
  };
}

const RETRY_AFTER_SECONDS = '1';

/** What a client is told of a failure inside. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof DeadlineExceeded) return refuse('deadline_exceeded');
  if (!(error instanceof StorageError)) return refuse('internal_error');
  if (error.failure === 'full') return refuse('storage_full');
  const isDamaged = error.failure === 'damaged';
  const message = isDamaged ? 'The database is damaged: see the log of the service.' : undefined;
  return refuse('unavailable', message, { 'Retry-After': RETRY_AFTER_SECONDS });
}
