import type { ErrorCode } from './errors.ts';
import type { Scope } from './scopes.ts';
import type { z } from './zod.ts';

/** One response of an operation that succeeded. */
export interface DocumentedResponse {
  readonly description: string;
  /** Absent if the response has no content. */
  readonly schema?: z.ZodType;
  /** Set if the content is a stream, which ends when the client or the service ends it. */
  readonly mediaType?: 'text/event-stream';
  readonly example?: unknown;
  /** Removes our additions from the body. Set if extensions are off and the schema has some. */
  readonly project?: (body: unknown) => unknown;
  /** False if the body represents no resource of its own: there is then nothing to fetch or change under the condition of a tag. */
  readonly hasEntityTag?: false;
  /** Descriptions of the headers that other responses do not have. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Deprecation {
  /** When the operation was deprecated, for the Deprecation header (RFC 9745). */
  readonly since: Date;
  /** When it stops working: from then on it responds with 410 `operation_removed` (RFC 8594). */
  readonly sunset: Date;
  /** The path of the replacement. */
  readonly replacement: string;
}

/**
 * The declaration of an operation. The router, the checks before its handler and the OpenAPI
 * document all use it. They add what every operation shares (401 for the credential, size limits,
 * failures), so an operation does not declare it.
 */
export interface Operation {
  /** The operationId. `createPet` is declared in `create-pet.ts`. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to the base URL, with parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The scope that an API key needs. Null: every valid key may call the operation. */
  readonly scope: Scope | null;
  /** Set for our additions, which may still change. The specified operations have no mark. */
  readonly stability?: 'beta' | 'experimental';
  readonly deprecation?: Deprecation;
  /** Path parameters. An invalid value cannot name a resource, so the response is `notFound`. */
  readonly params?: { readonly schema: z.ZodObject; readonly notFound: ErrorCode };
  readonly query?: z.ZodObject;
  /** The request headers that the handler reads. */
  readonly headers?: z.ZodObject;
  /** Our additions to a specified operation, apart from the parameters and fields that are marked with `BETA`. */
  readonly additions?: {
    /** What they add to the description. */
    readonly description: string;
    /** A more exact replacement for a deprecated operation: a path with one of the path parameters in braces. */
    readonly replacement?: string;
    /** The added response headers. */
    readonly headers?: readonly string[];
    /** The added codes of `errors`. */
    readonly errors?: readonly ErrorCode[];
  };
  readonly body?: {
    readonly schema: z.ZodObject;
    /** A merge patch (RFC 7396), as `application/merge-patch+json` or `application/json`. */
    readonly isMergePatch?: true;
    readonly examples: Readonly<Record<string, unknown>>;
  };
  /** The responses of success, by status. */
  readonly responses: Readonly<Record<number, DocumentedResponse>>;
  /** The refusals that the handler can return. */
  readonly errors: readonly ErrorCode[];
}

/** What the service sends to receivers of webhooks. */
export interface WebhookMessage {
  /** The type of the event. */
  readonly type: string;
  /** When it is sent. */
  readonly description: string;
  readonly schema: z.ZodType;
}

/** Declares an operation and keeps the exact types of the declaration. */
export function operation<const O extends Operation>(declaration: O): O {
  return declaration;
}
