import type { Clock } from '../../clock.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { credentialMissing, scopeMissing } from '../contract/challenges.ts';
import { Refusal, refuse } from '../contract/errors.ts';
import type { Input, Result } from '../contract/handler.ts';
import type { Operation } from '../contract/operation.ts';
import type { Route } from '../contract/route.ts';
import { type ParsedBody, readJsonObject } from '../request/body.ts';
import type { RequestContext } from '../request/context.ts';
import type { Principal } from '../request/principal.ts';
import { NO_PARAMETERS, readHeaders, readQuery } from '../request/query.ts';
import { validateBody } from '../request/validation.ts';
import { checkPreconditions } from '../response/entity-tags.ts';
import { respondRefusal, respondResult, respondStream } from '../response/respond.ts';

/** What a handler of an idempotent request needs beside its input. */
export interface ReceivedRequest {
  readonly request: Request;
  readonly ctx: RequestContext;
  /** The body as received. */
  readonly bytes: Uint8Array | undefined;
}

/** An operation with everything that its handler needs. */
export interface ExecutableOperation {
  readonly operation: Operation;
  readonly usedReaders: Route['usedReaders'];
  readonly handle: (input: Input, received: ReceivedRequest) => MaybePromise<Result | Refusal>;
  /** Names what a request changed; undefined for a replay, which changed nothing. Missing if the operation only reads. */
  readonly resourceOf?: (input: Input, result: Result) => string | undefined;
}

export type ExecutableRoute = Route & ExecutableOperation;

/** The rules that apply to every operation. */
export interface ExecutionRules {
  readonly clock: Clock;
  /** Whether a change needs an If-Match header. */
  readonly requireIfMatch: boolean;
  readonly entityTags: boolean;
  /** Lets the response of a request take any time. */
  readonly keepOpen: (request: Request) => void;
}

/** Executes one operation: checks access, body, query and path, calls the handler, responds. */
export function execute(
  { operation, handle, resourceOf }: ExecutableRoute,
  request: Request,
  ctx: RequestContext,
  pathParams: Record<string, string>,
  rules: ExecutionRules,
): MaybePromise<Response> {
  const { principal } = ctx;
  if (principal === undefined) return respondRefusal(ctx, credentialMissing());
  const { body } = operation;
  const parsed =
    refuseAccess(operation, principal, rules.clock) ??
    (body && readJsonObject(request, body.isMergePatch === true));
  let accepted: Input | undefined;
  const outcome = chain(parsed, (parsedBody) => {
    if (parsedBody instanceof Refusal) return parsedBody;
    const input = checkInput(operation, principal, ctx, request, pathParams, parsedBody, rules);
    if (input instanceof Refusal) return input;
    accepted = input;
    return handle(input, { request, ctx, bytes: parsedBody?.bytes });
  });
  return chain(outcome, (result) => {
    if (result instanceof Refusal) return respondRefusal(ctx, result);
    if (resourceOf && accepted) ctx.resource = resourceOf(accepted, result);
    const { stream } = result;
    if (stream !== undefined) {
      rules.keepOpen(request);
      return respondStream(ctx, result.status, result.headers, stream);
    }
    return respondResult(
      ctx,
      shownResult(operation, result),
      rules.entityTags && operation.responses[result.status]?.hasEntityTag !== false,
    );
  });
}

/** The result without our additions, if extensions are off. */
function shownResult({ responses }: Operation, result: Result): Result {
  const project = responses[result.status]?.project;
  return project === undefined ? result : { ...result, body: project(result.body) };
}

/** The refusal if this principal cannot use the operation at all. */
function refuseAccess(
  { scope, deprecation }: Operation,
  principal: Principal,
  clock: Clock,
): Refusal | undefined {
  if (scope !== null && !principal.scopes.has(scope)) return scopeMissing(scope);
  return deprecation && clock.now() >= deprecation.sunset.getTime()
    ? refuse('operation_removed')
    : undefined;
}

/** Checks a request against the declaration. The path comes last: 404 means that everything else is valid. */
function checkInput(
  operation: Operation,
  { keyId, scopes }: Principal,
  ctx: RequestContext,
  request: Request,
  pathParams: Record<string, string>,
  parsed: ParsedBody | undefined,
  { requireIfMatch }: ExecutionRules,
): Input | Refusal {
  const body =
    operation.body && validateBody(parsed?.object ?? {}, operation.body.schema, ctx.isStrict);
  if (body instanceof Refusal) return body;
  const query = readQuery(ctx.query, operation.query ?? NO_PARAMETERS, ctx.isStrict);
  if (query instanceof Refusal) return query;
  const headers = operation.headers && readHeaders(request.headers, operation.headers);
  if (headers instanceof Refusal) return headers;
  const params = operation.params?.schema.safeParse(pathParams);
  if (operation.params && !params?.success) return refuse(operation.params.notFound);
  return {
    requestId: ctx.id,
    keyId,
    scopes,
    body,
    query,
    headers,
    params: params?.data,
    precondition: (current: unknown) =>
      checkPreconditions(ctx.conditions, current, requireIfMatch) as never,
    isGone: () => ctx.isLate || request.signal.aborted,
  };
}
