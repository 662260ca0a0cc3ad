import { z } from '@hono/zod-openapi';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Principal } from './context.ts';
import type { ErrorCode, Refusal } from './errors.ts';

/**
 * What a key may be allowed to do. Every operation names the one it needs, so none can be
 * reached without a decision about who may.
 */
export const SCOPES = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'keys:admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Marks what the specification does not show, and may therefore still change. Two families of
 * tools each read one of these.
 */
export const BETA = { 'x-stability': 'beta', 'x-stability-level': 'beta' } as const;

/** One answer that an operation gives when all went well. */
interface DocumentedAnswer {
  readonly description: string;
  /** Absent where the answer has no content. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** Headers beside those of every answer, with what they mean. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Deprecation {
  /** When the operation was deprecated, for the Deprecation header (RFC 9745). */
  readonly since: Date;
  /** When it stops working: from then on it answers 410 `operation_removed` (RFC 8594). */
  readonly sunset: Date;
  /** The path to use instead. */
  readonly replacement: string;
}

/**
 * What an operation is, as data: the router, the checks before its handler and the OpenAPI
 * document all read it. Everything that operations share (the credential's 401, the sizes, the
 * failures) is added to it by them and not declared again.
 */
export interface Operation {
  /** The operationId, which also names the file. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to the base address, with parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly scope: Scope;
  /** Ours, and may still change. The specified operations carry no mark. */
  readonly stability?: 'beta' | 'experimental';
  readonly deprecation?: Deprecation;
  /** Path parameters. A value that cannot be one names nothing, so it is answered with `notFound`. */
  readonly params?: { readonly schema: z.ZodObject; readonly notFound: ErrorCode };
  readonly query?: z.ZodObject;
  /** What of a specified operation is ours, may still change, and is not there without extensions. */
  readonly ours?: {
    /** What its description says of it. */
    readonly description: string;
    /** Those of `query` that are specified: all others are ours. */
    readonly specifiedParameters?: readonly string[];
    /** Those of the headers that its answers declare. */
    readonly headers?: readonly string[];
    /** Those of `errors`. */
    readonly errors?: readonly ErrorCode[];
  };
  readonly body?: {
    readonly schema: z.ZodObject;
    /** A merge patch (RFC 7396): `application/merge-patch+json`, or `application/json` read the same. */
    readonly isMergePatch?: true;
    readonly examples: Readonly<Record<string, unknown>>;
  };
  /** The answers of success, by status. */
  readonly answers: Readonly<Record<number, DocumentedAnswer>>;
  /** The refusals that its handler can decide on. */
  readonly errors: readonly ErrorCode[];
}

/** What a handler receives: everything checked against the declaration. */
interface Input<O extends Operation> {
  readonly precondition: Precondition;
  readonly params: O extends { params: { schema: infer S extends z.ZodType } }
    ? z.output<S>
    : undefined;
  readonly query: O extends { query: infer S extends z.ZodType } ? z.output<S> : undefined;
  readonly body: O extends { body: { schema: infer S extends z.ZodType } }
    ? z.output<S>
    : undefined;
}

/** Why a change may not go on, given what is there, undefined if nothing is (RFC 9110 §13). */
type Precondition = (
  current: unknown,
) => Refusal<'precondition_failed' | 'precondition_required'> | undefined;

/** What a handler may answer: a documented status with its body. Anything else does not compile. */
export type Answer<O extends Operation> = {
  [Status in keyof O['answers'] & number]: {
    readonly status: Status;
    readonly headers?: Readonly<Record<string, string>>;
    readonly tagged?: unknown;
  } & (O['answers'][Status] extends { schema: infer S extends z.ZodType }
    ? { readonly body: z.output<S> }
    : unknown);
}[keyof O['answers'] & number];

export type Handler<O extends Operation> = (
  input: Input<O>,
) => MaybePromise<Answer<O> | Refusal<O['errors'][number]>>;

/** The operation as it is specified, without what we added to it. */
export function withoutExtensions({ ours, ...operation }: Operation): Operation {
  if (ours === undefined) return operation;
  const { specifiedParameters = [], headers = [], errors = [] } = ours;
  const { query, answers } = operation;
  return {
    ...operation,
    ...(query && { query: z.object(only(specifiedParameters, query.shape)) }),
    answers: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [
        status,
        { ...answer, headers: without(headers, answer.headers ?? {}) },
      ]),
    ),
    errors: operation.errors.filter((code) => !errors.includes(code)),
  };
}

const only = <T>(names: readonly string[], record: Readonly<Record<string, T>>) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));

const without = <T>(names: readonly string[], record: Readonly<Record<string, T>>) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** Declares an operation, keeping the exact types of what it declares. */
export function operation<const O extends Operation>(declaration: O): O {
  return declaration;
}

/** A handler of any operation: what it receives was checked against the declaration beside it. */
export type AnyHandler = (input: AnyInput) => MaybePromise<AnyAnswer | Refusal>;

export interface AnyInput {
  readonly precondition: Precondition;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface AnyAnswer {
  readonly status: number;
  /** Undefined where the answer has no content. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The value whose entity tag the answer carries, where that is not the body. */
  readonly tagged?: unknown;
}

/** An operation with what makes its handler: one that reads is given readers, one that writes the stores of a transaction. */
export type BoundOperation<Reading, Writing, Blind, Rules> =
  | { readonly operation: Operation; readonly reads: (deps: Reading) => AnyHandler }
  | {
      readonly operation: Operation;
      readonly writes: (deps: Writing) => AnyHandler;
      readonly blindly: Blindly<Blind, Rules> | undefined;
    };

/** How an operation is carried out without a transaction, when the rules let it look at nothing that is stored. */
interface Blindly<Blind, Rules> {
  readonly when: (rules: Rules) => boolean;
  readonly handler: (deps: Blind) => AnyHandler;
}

// The checks before a handler establish exactly what Input<O> says; the list of all operations
// has to forget which one each is.

/** Binds an operation that changes nothing. */
export const reading = <O extends Operation, Deps>(
  operation: O,
  handler: (deps: Deps) => Handler<O>,
) => ({
  operation,
  reads: handler as (deps: Deps) => AnyHandler,
});

/**
 * Binds an operation that is carried out in a transaction of its own.
 * @param blindly with blind changes alone, which an engine carries out faster.
 */
export const writing = <O extends Operation, Deps, Blind, Rules>(
  operation: O,
  handler: (deps: Deps) => Handler<O>,
  blindly?: { when: (rules: Rules) => boolean; handler: (deps: Blind) => Handler<O> },
) => ({
  operation,
  writes: handler as (deps: Deps) => AnyHandler,
  blindly: blindly as Blindly<Blind, Rules> | undefined,
});

/** What is known of a request beside its checked input. */
export interface Asked {
  readonly request: Request;
  readonly path: string;
  readonly principal: Principal | undefined;
  /** The body as it was sent. */
  readonly sent: Uint8Array | undefined;
}

/** An operation that can be carried out. */
export interface ReadyOperation {
  readonly operation: Operation;
  readonly handle: (input: AnyInput, asked: Asked) => MaybePromise<AnyAnswer | Refusal>;
}
