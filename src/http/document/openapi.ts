import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { errorBody } from '../contract/errors.ts';
import { BETA, type Operation } from '../contract/operation.ts';
import { SCOPES } from '../contract/scopes.ts';
import { z } from '../contract/zod.ts';
import {
  canBeNotModified,
  occurringErrors,
  RESPONSE_COMPONENTS,
  refusals,
  successes,
} from './responses.ts';

export interface BaseUrls {
  readonly production: string;
  readonly staging: string;
}

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>;

const TAGS: Readonly<Record<string, string>> = {
  Pets: 'The animals of the catalogue.',
  Categories: 'The records of categories.',
  Orders:
    'Orders for animals. An order holds its animal until it is delivered, cancelled or expired.',
  'API keys': 'The API keys of clients, and what each may do.',
  Usage: 'How often, when and by which API keys operations were called.',
};

/**
 * Generates the OpenAPI 3.1 document from the declarations of the operations.
 * @param extensions whether to describe our additions to the specified operations.
 */
export function openApiDocument(
  operations: readonly { readonly operation: Operation }[],
  baseUrls: BaseUrls,
  extensions: boolean,
): OpenApiDocument {
  const described = operations.map(({ operation }) => operation);
  const scopes = SCOPES.filter((scope) => described.some((operation) => operation.scope === scope));
  const error = errorBody(occurringErrors(described, extensions));
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API key',
    description: `An API key, created by the operator of the service. Scopes: ${scopes.join(', ')}.`,
  });
  for (const operation of described) registry.registerPath(describe(operation, extensions, error));
  const tags = new Set(described.map(({ tag }) => tag));
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Animal Store Service',
      version: '1.0.0',
      description:
        "A store's catalogue of animals: list them, add one, fetch one. Every request needs an " +
        'API key; all bodies are JSON; every error has the same shape. Unknown parameters and ' +
        'fields are ignored, or refused with 400 if the request has `Prefer: handling=strict`.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [
      { url: baseUrls.production, description: 'Production' },
      { url: baseUrls.staging, description: 'Staging' },
    ],
    tags: [...tags].map((name) => ({ name, description: TAGS[name] ?? name })),
    security: [{ apiKey: [] }],
  });
  return { ...document, components: { ...document.components, ...usedComponents(document) } };
}

/** The shared components that these paths refer to. */
function usedComponents({ paths }: OpenApiDocument) {
  const text = JSON.stringify(paths);
  const { headers, examples } = RESPONSE_COMPONENTS;
  const used = <Component>(kind: string, components: Readonly<Record<string, Component>>) =>
    Object.fromEntries(
      Object.entries(components).filter(([name]) =>
        text.includes(`"#/components/${kind}/${name}"`),
      ),
    );
  return { headers: used('headers', headers), examples: used('examples', examples) };
}

function describe(operation: Operation, extensions: boolean, error: z.ZodType): RouteConfig {
  const { deprecation, query, params, body, stability } = operation;
  const sunset = deprecation?.sunset.toISOString().slice(0, 10);
  const headers = requestHeaders(operation, extensions);
  const description = operation.additions
    ? `${operation.description} ${operation.additions.description}`
    : operation.description;
  return {
    operationId: operation.id,
    method: operation.method,
    path: operation.path,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${description}\n\n${describeScope(operation)}`,
    ...(deprecation && { deprecated: true, 'x-deprecated-sunset': sunset, 'x-sunset': sunset }),
    ...(stability && STABILITY_MARKS[stability]),
    request: {
      ...(query && { query }),
      ...(params && { params: params.schema }),
      ...(headers && { headers }),
      ...(body && { body: { required: true, content: describeBody(body) } }),
    },
    responses: { ...successes(operation, extensions), ...refusals(operation, extensions, error) },
  };
}

const describeScope = ({ scope }: Operation): string =>
  scope === null ? 'Needs a valid API key, with any scopes.' : `Needs the scope \`${scope}\`.`;

const STABILITY_MARKS = {
  beta: BETA,
  experimental: { 'x-stability': 'experimental', 'x-stability-level': 'alpha' },
} as const;

function describeBody({ schema, examples, isMergePatch }: NonNullable<Operation['body']>) {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  const content = { schema, examples: Object.fromEntries(named) };
  return isMergePatch
    ? { 'application/merge-patch+json': content, 'application/json': content }
    : { 'application/json': content };
}

/** The request headers for conditional and idempotent requests. All are our additions. */
function requestHeaders(operation: Operation, extensions: boolean) {
  const { method, errors } = operation;
  const header = (description: string) =>
    z
      .string()
      .optional()
      .openapi({ param: { ...BETA, description } });
  const isConditional = errors.includes('precondition_failed');
  if (!extensions) return undefined;
  if (method === 'get') {
    if (!canBeNotModified(operation)) return undefined;
    return z.object({ 'If-None-Match': header('The response is 304 if the ETag is unchanged.') });
  }
  if (method === 'post') {
    return z.object({
      'Idempotency-Key': header(
        'Makes the request safe to retry: a retry with the same key and body within 24 hours gets ' +
          'the first response again, and nothing is done twice.',
      ),
    });
  }
  return isConditional
    ? z.object({ 'If-Match': header('Refuses the change if the ETag has changed.') })
    : undefined;
}
