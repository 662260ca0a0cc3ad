import type { z } from '@hono/zod-openapi';
import type { MaybePromise } from '../maybe-promise.ts';
import type { ErrorCode, Refusal } from './errors.ts';

/**
 * What a key may be allowed to do. Every operation names the one it needs, so none can be
 * reached without a decision about who may.
 */
export const SCOPES = ['pets:read', 'pets:write', 'keys:admin'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Marks what the specification does not show, and may therefore still change. Two families of
 * tools each read one of these.
 */
export const BETA = { 'x-stability': 'beta', 'x-stability-level': 'beta' } as const;

/** One answer that an operation gives when all went well. */
interface DocumentedAnswer {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
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
  readonly deprecation?: Deprecation;
  /** Path parameters. A value that cannot be one names nothing, so it is answered with `notFound`. */
  readonly params?: { readonly schema: z.ZodObject; readonly notFound: ErrorCode };
  readonly query?: z.ZodObject;
  readonly body?: {
    readonly schema: z.ZodObject;
    readonly examples: Readonly<Record<string, unknown>>;
  };
  /** The answers of success, by status. */
  readonly answers: Readonly<Record<number, DocumentedAnswer>>;
  /** The refusals that its handler can decide on. */
  readonly errors: readonly ErrorCode[];
}

/** What a handler receives: everything checked against the declaration. */
interface Input<O extends Operation> {
  readonly params: O extends { params: { schema: infer S extends z.ZodType } }
    ? z.output<S>
    : undefined;
  readonly query: O extends { query: infer S extends z.ZodType } ? z.output<S> : undefined;
  readonly body: O extends { body: { schema: infer S extends z.ZodType } }
    ? z.output<S>
    : undefined;
}

/** What a handler may answer: a documented status with its body. Anything else does not compile. */
type Answer<O extends Operation> = {
  [Status in keyof O['answers'] & number]: {
    readonly status: Status;
    readonly body: z.output<O['answers'][Status]['schema']>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof O['answers'] & number];

export type Handler<O extends Operation> = (
  input: Input<O>,
) => MaybePromise<Answer<O> | Refusal<O['errors'][number]>>;

/** Declares an operation, keeping the exact types of what it declares. */
export function operation<const O extends Operation>(declaration: O): O {
  return declaration;
}

/** A handler of any operation: what it receives was checked against the declaration beside it. */
type AnyHandler = (input: {
  params: unknown;
  query: unknown;
  body: unknown;
}) => MaybePromise<AnyAnswer | Refusal>;

interface AnyAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation with what makes its handler: one that reads is given readers, one that writes the stores of a transaction. */
export type BoundOperation<Reading, Writing> =
  | { readonly operation: Operation; readonly reads: (deps: Reading) => AnyHandler }
  | { readonly operation: Operation; readonly writes: (deps: Writing) => AnyHandler };

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

/** Binds an operation that is carried out in a transaction of its own. */
export const writing = <O extends Operation, Deps>(
  operation: O,
  handler: (deps: Deps) => Handler<O>,
) => ({
  operation,
  writes: handler as (deps: Deps) => AnyHandler,
});

/** An operation that can be carried out. */
export interface ReadyOperation {
  readonly operation: Operation;
  readonly handle: AnyHandler;
}
