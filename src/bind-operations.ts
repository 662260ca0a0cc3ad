import type { Keyring } from './api-keys/keyring.ts';
import type { Clock } from './clock.ts';
import type { RequestCause } from './events/cause.ts';
import type { EventStreams } from './events/event-streams.ts';
import { Refusal } from './http/contract/errors.ts';
import type { BoundOperation } from './http/contract/handler.ts';
import type { Operation } from './http/contract/operation.ts';
import type { ExecutableOperation } from './http/routing/execute.ts';
import {
  executeOnce,
  RequestsInProgress,
  readIdempotencyKey,
} from './idempotency/idempotent-requests.ts';
import { isReplay } from './idempotency/saved-response.ts';
import { chain } from './maybe-promise.ts';
import type { Observe } from './observe/observation.ts';
import { runSteps } from './steps.ts';
import {
  type BlindWrites,
  CATALOGUE_READERS,
  type Database,
  type Readers,
  type Stores,
} from './storage/database.ts';

/** What handlers need apart from storage. */
export interface HandlerDeps {
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly observe: Observe;
  readonly streams: EventStreams;
  readonly baseUrl: string;
  /** All operations of the service. */
  readonly operations: readonly Operation[];
  readonly extensions: boolean;
  readonly requireKnownCategory: boolean;
  readonly orderHoldMs: number;
}

export type AnyOperation = BoundOperation<
  Readers & HandlerDeps,
  Stores & HandlerDeps,
  BlindWrites & Pick<HandlerDeps, 'baseUrl'>,
  HandlerDeps
>;

/** Connects handlers to storage. A write is one transaction, from its first read to its result. */
export function bindOperations(
  operations: readonly AnyOperation[],
  database: Database,
  deps: HandlerDeps,
): ExecutableOperation[] {
  const inProgress = new RequestsInProgress();
  const isIdempotent = ({ method }: Operation) => method === 'post' && deps.extensions;

  return operations.map((bound) => {
    const { operation } = bound;
    if ('read' in bound) {
      const usedReaders = new Set<string>();
      const readDeps = recordReaders({ ...database.read, ...deps }, database.read, usedReaders);
      return { operation, usedReaders, handle: (input) => bound.read(readDeps, input) };
    }
    const { bulk } = bound;
    // What changes no key leaves the cached credentials valid.
    const onlyChanges = operation.scope === 'keys:admin' ? undefined : CATALOGUE_READERS;
    const insert = bound.insert?.mustCheck(deps) === false ? bound.insert.insert : undefined;
    const resourceOf: ExecutableOperation['resourceOf'] = (input, result) =>
      isReplay(result) ? undefined : bound.resourceOf(input, result);
    const execute: ExecutableOperation['handle'] = (input, received) => {
      const cause: RequestCause = { actor: { keyId: input.keyId }, at: deps.clock.now() };
      const rows = bulk?.sizeOf(input) ?? 1;
      const write = (stores: Stores) => bound.write({ ...stores, ...deps }, input);
      const idempotent = isIdempotent(operation) ? readIdempotencyKey(received) : undefined;
      if (idempotent === undefined) {
        return insert
          ? insert({ pets: database.blind(cause).pets, baseUrl: deps.baseUrl }, input)
          : database.write(cause, (stores) => runSteps(write(stores)), {
              onlyChanges,
              rows,
            });
      }
      if (idempotent instanceof Refusal) return idempotent;
      const saving = bulk && {
        keep: bulk.savedBody.keep,
        rebuild: (kept: unknown) => bulk.savedBody.rebuild(input, kept),
      };
      const writeOnce = (stores: Stores) => {
        return executeOnce(
          idempotent,
          stores.idempotencyRecords,
          cause.at,
          () => write(stores),
          saving,
        );
      };
      return inProgress.run(idempotent.scope, () =>
        database.write(cause, (stores) => runSteps(writeOnce(stores)), {
          isRepeatable: true,
          onlyChanges,
          rows,
        }),
      );
    };
    const { afterCommit } = bound;
    if (afterCommit === undefined)
      return { operation, usedReaders: NONE, handle: execute, resourceOf };
    return {
      operation,
      usedReaders: NONE,
      resourceOf,
      handle: (input, received) =>
        chain(execute(input, received), (result) => {
          if (!(result instanceof Refusal || isReplay(result))) {
            afterCommit(deps, { requestId: received.ctx.id, input, result });
          }
          return result;
        }),
    };
  });
}

const NONE: ReadonlySet<string> = new Set();

/** Records which readers a handler takes out of its dependencies, so that no operation has to declare them. */
function recordReaders<Deps extends Readers>(
  deps: Deps,
  readers: Readers,
  used: Set<string>,
): Deps {
  for (const [name, reader] of Object.entries(readers)) {
    Object.defineProperty(deps, name, {
      get() {
        used.add(name);
        return reader;
      },
    });
  }
  return deps;
}
