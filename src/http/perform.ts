import type { Clock } from '../clock.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { scopeMissing } from './authenticate.ts';
import { readJsonObject, type SentBody } from './body.ts';
import type { RequestContext } from './context.ts';
import { Refusal, refuse } from './errors.ts';
import { checkIfMatch } from './etag.ts';
import { renderExactJson } from './exact-json.ts';
import type { AnyInput, Operation } from './operation.ts';
import { NO_PARAMETERS, readQuery } from './query.ts';
import { respondAnswer, respondRefusal } from './respond.ts';
import type { Route } from './router.ts';
import { validateBody } from './validation.ts';

/** What holds for every operation. */
export interface PerformRules {
  readonly clock: Clock;
  /** Whether a change needs an If-Match header. */
  readonly requireIfMatch: boolean;
  /** Whether answers carry entity tags and GET is conditional. */
  readonly entityTags: boolean;
}

/** RFC 7240; the preference may stand in a list and have parameters, and the first counts. */
const HANDLING = /(?:^|,)\s*handling\s*=\s*"?([a-z]*)"?\s*(?:[;,]|$)/i;

/** The way through one operation: may it be used?, body, query, path, handler, answer. */
export function perform(
  { operation, handle }: Route,
  request: Request,
  ctx: RequestContext,
  pathParams: Record<string, string>,
  rules: PerformRules,
): MaybePromise<Response> {
  const handling = HANDLING.exec(request.headers.get('prefer') ?? '')?.[1];
  ctx.strict = handling?.toLowerCase() === 'strict';
  const { body } = operation;
  const sent =
    whyClosed(operation, ctx, rules.clock) ??
    (body && readJsonObject(request, body.isMergePatch === true));
  const outcome = chain(sent, (read) => {
    if (read instanceof Refusal) return read;
    const input = check(operation, ctx, pathParams, read);
    if (input instanceof Refusal) return input;
    const precondition = (current: unknown) =>
      checkIfMatch(
        request.headers.get('if-match'),
        current === undefined ? undefined : renderExactJson(current),
        rules.requireIfMatch,
      );
    return handle(
      { ...input, precondition },
      { request, path: ctx.path, principal: ctx.principal, sent: read?.bytes },
    );
  });
  return chain(outcome, (result) =>
    result instanceof Refusal
      ? respondRefusal(ctx, result)
      : respondAnswer(
          ctx,
          result,
          rules.entityTags ? request.headers.get('if-none-match') : undefined,
        ),
  );
}

/** Why this principal cannot use the operation at all, if so. */
function whyClosed(operation: Operation, ctx: RequestContext, clock: Clock): Refusal | undefined {
  const { scope, deprecation } = operation;
  if (!ctx.principal?.scopes.has(scope)) return scopeMissing(scope);
  return deprecation && clock.now() >= deprecation.sunset.getTime()
    ? refuse('operation_removed')
    : undefined;
}

/** Holds what was sent against the declaration. The path comes last: what it names can only be missing once the rest is right. */
function check(
  operation: Operation,
  { query: sentQuery, strict }: RequestContext,
  pathParams: Record<string, string>,
  sent: SentBody | undefined,
): Omit<AnyInput, 'precondition'> | Refusal {
  const body = operation.body && validateBody(sent?.object ?? {}, operation.body.schema, strict);
  if (body instanceof Refusal) return body;
  const query = readQuery(sentQuery, operation.query ?? NO_PARAMETERS, strict);
  if (query instanceof Refusal) return query;
  const params = operation.params?.schema.safeParse(pathParams);
  if (operation.params && !params?.success) return refuse(operation.params.notFound);
  return { body, query, params: params?.data };
}
