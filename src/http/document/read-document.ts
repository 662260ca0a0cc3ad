/** The parts of an OpenAPI document for those who read one: the reference, the generator of the SDK's types, the tests. */

interface Marked {
  readonly 'x-stability'?: 'beta' | 'experimental';
}

/** A JSON schema (2020-12). */
export interface Schema extends Marked {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly default?: unknown;
}

export interface Parameter extends Marked {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Header {
  readonly description: string;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface DocumentedOperation extends Marked {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly 'x-sunset'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface ReadDocument {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly webhooks?: ReadDocument['paths'];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly examples: Readonly<Record<string, { readonly value: object }>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** Each operation of a document with its path and method, in the order of the document. */
export const operationsIn = ({ paths }: ReadDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );

/** The part of a document that a reference names (RFC 6901), undefined if there is none. */
export const targetOf = (document: object, reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (part, key) => (part as Readonly<Record<string, unknown>> | undefined)?.[key],
      document,
    );

/** An operation with its path and method. */
export type DescribedOperation = ReturnType<typeof operationsIn>[number];

/**
 * Reads a document with components in the place of the references to them. None refers to itself.
 * @param references the references to replace
 */
export function spelledOut(document: object, references = /^#/): ReadDocument {
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref, ...own } = part as Readonly<Record<string, unknown>>;
    const spelled = Object.fromEntries(
      Object.entries(own).map(([key, value]) => [key, resolve(value)]),
    );
    if (typeof $ref !== 'string') return spelled;
    if (!references.test($ref)) return { $ref, ...spelled };
    return {
      ...Object(resolve(targetOf(document, $ref))),
      [COMPONENT]: $ref.split('/').at(-1),
      ...spelled,
    };
  };
  return resolve(document) as ReadDocument;
}

const COMPONENT = Symbol('component');

/** The name of the component that a part of a document was a reference to. */
export const componentOf = (part: object): string | undefined =>
  (part as { readonly [COMPONENT]?: string })[COMPONENT];

/** The codes of all errors, which a description lists because later versions add some. */
export const errorCodesOf = ({ components }: ReadDocument): string[] => {
  const { description = '' } = components.schemas['Error']?.properties?.['code'] ?? {};
  return [...description.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code);
};
