import type { OpenApiDocument } from '../http/document/openapi.ts';

/** The parts of the OpenAPI document that the page shows. */

export interface Schema {
  /** The name of the component. */
  readonly component?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
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

interface Marked {
  readonly 'x-stability'?: 'beta' | 'experimental';
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

export interface Header {
  /** The name of the component. A header without a component is special to its operation. */
  readonly component?: string;
  readonly description: string;
}

export interface DescribedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface OperationObject extends Marked {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly 'x-sunset'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface DescribedOperation extends OperationObject {
  readonly method: string;
  readonly path: string;
}

export interface Described {
  readonly info: {
    readonly title: string;
    readonly description: string;
    readonly version: string;
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: { readonly apiKey: { readonly description: string } };
  };
}

/** Reads the document with each component in the place of the references to it. */
export const describedIn = (document: OpenApiDocument): Described =>
  spelledOut(document, document) as Described;

/** The operations in the order of the document. */
export const operationsOf = ({ paths }: Described): DescribedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );

type Json = Readonly<Record<string, unknown>>;

/** No component refers to itself. */
function spelledOut(part: unknown, document: object): unknown {
  if (Array.isArray(part)) return part.map((item) => spelledOut(item, document));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...own } = part as Json;
  const spelled = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, spelledOut(value, document)]),
  );
  if (typeof $ref !== 'string') return spelled;
  const component = $ref.slice($ref.lastIndexOf('/') + 1);
  return { ...(spelledOut(targetOf($ref, document), document) as Json), component, ...spelled };
}

function targetOf(reference: string, document: object): unknown {
  const keys = reference.slice('#/'.length).split('/');
  const target = keys.reduce<unknown>((part, key) => (part as Json | undefined)?.[key], document);
  if (target === undefined) throw new Error(`The document has no ${reference}.`);
  return target;
}
