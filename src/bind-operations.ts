import type { Keyring } from './api-keys/keyring.ts';
import type { Clock } from './clock.ts';
import type { RequestCause } from './events/cause.ts';
import type { EventStreams } from './events/event-streams.ts';
import { Refusal, refuse } from './http/contract/errors.ts';
import type { BoundOperation, Input } from './http/contract/handler.ts';
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
import type { PetAdder } from './pets/pet-store.ts';
import { runSteps, type Steps, wait } from './steps.ts';
import {
  CATALOGUE_READERS,
  type Database,
  type Readers,
  type Stores,
  type WriteOptions,
} from './storage/database.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';

/** What handlers need apart from storage. */
export interface HandlerDeps {
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly observe: Observe;
  readonly streams: EventStreams;
  /** Undefined: there is no WEBHOOK_SECRET_KEY. */
  readonly sender: WebhookSender | undefined;
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
  { readonly pets: PetAdder } & Pick<HandlerDeps, 'baseUrl'>,
  HandlerDeps
>;

type WriteOperation = Extract<AnyOperation, { readonly write: unknown }>;

/** Connects handlers to storage. A write is one transaction, from its first read to its result. */
export function bindOperations(
  operations: readonly AnyOperation[],
  database: Database,
  deps: HandlerDeps,
): ExecutableOperation[] {
  const { baseUrl } = deps;
  const inProgress = new RequestsInProgress();
  const isIdempotent = ({ method }: Operation) => method === 'post' && deps.extensions;

  return operations.map((bound) => {
    const { operation } = bound;
    if ('read' in bound) {
      const usedReaders = new Set<string>();
      const readDeps = recordReaders({ ...database.read, ...deps }, database.read, usedReaders);
      return { operation, usedReaders, handle: (input) => bound.read(readDeps, input) };
    }
    const { bulk, prepare } = bound;
    // What changes no key leaves the cached credentials valid.
    const onlyChanges = operation.scope === 'keys:admin' ? undefined : CATALOGUE_READERS;
    const insert = bound.insert?.mustCheck(deps) === false ? bound.insert.insert : undefined;
    const resourceOf: ExecutableOperation['resourceOf'] = (input, result) =>
      isReplay(result) ? undefined : bound.resourceOf(input, result);
    /** Runs `work` with what the operation prepares before its transaction. */
    const preparing: Preparing =
      prepare === undefined
        ? (_input, work) => work()
        : async (input, work) => {
            const prepared = await prepare({ ...database.read, ...deps }, input);
            return prepared instanceof Refusal ? prepared : work({ prepared });
          };
    const execute: ExecutableOperation['handle'] = (input, received) => {
      const cause: RequestCause = { actor: { keyId: input.keyId }, at: deps.clock.now() };
      const options: WriteOptions = { onlyChanges, rows: bulk?.sizeOf(input) ?? 1 };
      const steps = (stores: Stores, more?: object) =>
        bound.write({ ...stores, ...deps, ...more }, input);
      const idempotent = isIdempotent(operation) ? readIdempotencyKey(received) : undefined;
      if (idempotent === undefined) {
        return insert
          ? insert({ pets: { create: (pet) => database.addPet(cause, pet) }, baseUrl }, input)
          : preparing(input, (more) =>
              database.write(cause, (stores) => runSteps(steps(stores, more)), options),
            );
      }
      if (idempotent instanceof Refusal) return idempotent;
      const saving = savingOf(bulk, input);
      const writeOnce = (work: typeof steps, more?: object) =>
        database.write(
          cause,
          (stores) => {
            const run = () => work(stores, more);
            const { idempotencyRecords } = stores;
            return runSteps(executeOnce(idempotent, idempotencyRecords, cause.at, run, saving));
          },
          { ...options, isRepeatable: true },
        );
      return inProgress.run(idempotent.scope, async () => {
        // A retry gets its response, whatever a second preparation would find.
        const earlier = prepare ? await writeOnce(refuseUnprepared) : UNPREPARED;
        return earlier === UNPREPARED
          ? preparing(input, (more) => writeOnce(steps, more))
          : earlier;
      });
    };
    const { afterCommit } = bound;
    const handle: ExecutableOperation['handle'] =
      afterCommit === undefined
        ? execute
        : (input, received) =>
            chain(execute(input, received), (result) => {
              if (!(result instanceof Refusal || isReplay(result))) {
                afterCommit(deps, { requestId: received.ctx.id, input, result });
              }
              return result;
            });
    return { operation, usedReaders: NONE, handle, resourceOf };
  });
}

const NONE: ReadonlySet<string> = new Set();

type Preparing = <T>(input: Input, work: (more?: object) => Promise<T>) => Promise<T | Refusal>;

/** How the record of a request keeps the body of its response, if the operation says so. */
const savingOf = (bulk: WriteOperation['bulk'], input: Input) =>
  bulk && {
    keep: bulk.savedBody.keep,
    rebuild: (kept: unknown) => bulk.savedBody.rebuild(input, kept),
  };

/** Stands for a handler: a refusal is not saved. */
const UNPREPARED = refuse('internal_error');
const refuseUnprepared = (): Steps<Refusal> => wait(UNPREPARED);

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
