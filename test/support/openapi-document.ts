/** The committed OpenAPI document, and the parts of a document that tests read. */
import { readFileSync } from 'node:fs';
import { parseExactJson } from '../../src/http/request/exact-json.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: object; readonly examples?: Record<string, object> }>
  >;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples: Record<string, { readonly value: unknown }> }>
    >;
  };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface ReadDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly tags: readonly { readonly name: string }[];
  readonly security: readonly object[];
  readonly servers: readonly object[];
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly examples: Readonly<Record<string, { readonly value: object }>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** The document as it is committed, with exact integers. */
export const COMMITTED = parseExactJson(readFileSync('openapi.json', 'utf8')) as object;

const SPELLED_OUT = /^#\/components\/(?:parameters|responses)\//;

/** Replaces the references to parameters and responses by what they refer to. */
export function spelledOut(document: object): ReadDocument {
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref } = part as { readonly $ref?: unknown };
    if (typeof $ref === 'string' && SPELLED_OUT.test($ref)) return targetOf(document, $ref);
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolve(value)]));
  };
  return resolve(document) as ReadDocument;
}

/** The part of a document that a reference names, undefined if there is none. */
export const targetOf = (document: object, reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (part, key) => (part as Readonly<Record<string, unknown>> | undefined)?.[key],
      document,
    );

/** The committed document with the shared parameters and responses spelled out in each operation. */
export const DOCUMENT = spelledOut(COMMITTED);

/** Each operation of a document with its path and method. */
export const operationsIn = ({ paths }: ReadDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );

/** Each value of this key in a part of a document, with the object that has it. */
export function* valuesOf(key: string, part: unknown): Generator<[unknown, object]> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    if (name === key) yield [value, part];
    yield* valuesOf(key, value);
  }
}
