import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { toIsoDate } from '../../clock.ts';
import { BETA } from '../contract/additions.ts';
import { errorBody } from '../contract/errors.ts';
import type { Operation, WebhookMessage } from '../contract/operation.ts';
import { SCOPES } from '../contract/scopes.ts';
import { z } from '../contract/zod.ts';
import { completed, type Generated } from './components.ts';
import { requestHeaders } from './request-headers.ts';
import { occurringErrors, refusals, successes } from './responses.ts';

export interface BaseUrls {
  /** Undefined if the document does not name it. The same for staging. */
  readonly production: string | undefined;
  readonly staging: string | undefined;
}

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>;

const TAGS: Readonly<Record<string, string>> = {
  Pets: 'The animals of the catalogue.',
  Categories: 'The records of categories.',
  Orders:
    'Orders for animals. An order holds its animal until it is delivered, cancelled or expired.',
  'API keys': 'The API keys of clients, and what each may do.',
  Webhooks: 'Receivers of events, and what was delivered to each.',
  Usage: 'How often, when and by which API keys operations were called.',
};

/**
 * Generates the OpenAPI 3.1 document from the declarations of the operations.
 * @param extensions whether to describe our additions to the specified operations.
 * @param webhooks what the service sends.
 */
export function openApiDocument(
  operations: readonly { readonly operation: Operation }[],
  baseUrls: BaseUrls,
  extensions: boolean,
  webhooks: readonly WebhookMessage[] = [],
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
  for (const message of extensions ? webhooks : [])
    registry.registerWebhook(describeWebhook(message));
  const tags = new Set(described.map(({ tag }) => tag));
  const generator = new OpenApiGeneratorV31(registry.definitions);
  // Otherwise, webhooks would come first. A component has the description of its first use.
  generator.generateComponents();
  const document = generator.generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Animal Store Service',
      version: '1.0.0',
      description:
        "A store's catalogue of animals: list them, add one, fetch one. Every request needs an " +
        'API key; all bodies are JSON; every error has the same shape. Unknown parameters and ' +
        'fields are ignored, or refused with 400 if the request has `Prefer: handling=strict`.\n\n' +
        'Integers with the format int64 are exact in every request and response. `JSON.parse` of JavaScript, and ' +
        'with it most generated clients, rounds integers beyond 2^53 (9007199254740992), such as a large ' +
        '`categoryId`. If your data has such values, use a JSON parser that returns them as BigInt or as text.',
      contact: { name: 'The operator of the service' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: serversAt(baseUrls),
    tags: [...tags].map((name) => ({ name, description: TAGS[name] ?? name })),
    security: [{ apiKey: [] }],
  });
  return completed(document as unknown as Generated) as unknown as OpenApiDocument;
}

const serversAt = ({ production, staging }: BaseUrls) => [
  ...(production === undefined ? [] : [server(production, 'Production')]),
  ...(staging === undefined ? [] : [server(staging, 'Staging')]),
];

/** `x-internal` says for whom a server is. Tools hide internal ones. */
const server = (url: string, description: string) => ({ url, description, 'x-internal': false });

function describe(operation: Operation, extensions: boolean, error: z.ZodType): RouteConfig {
  const { deprecation, query, params, body, stability } = operation;
  const sunset = deprecation && toIsoDate(deprecation.sunset.getTime());
  const headers = extensions ? requestHeaders(operation) : undefined;
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

/** The headers of Standard Webhooks. */
const WEBHOOK_HEADERS = z.object({
  'webhook-id': z.string().openapi({
    param: { description: 'The `id` of the event: the same in each attempt and replay.' },
  }),
  'webhook-timestamp': z.string().openapi({
    param: { description: 'When it was sent, in seconds since 1970-01-01T00:00:00Z.' },
  }),
  'webhook-signature': z.string().openapi({
    param: {
      description:
        'Signatures, separated by spaces: `v1,` and the base64 of HMAC-SHA256 of `ID.TIMESTAMP.BODY`. While a secret rotates, there are two.',
    },
  }),
});

const describeWebhook = ({ type, description, schema }: WebhookMessage): RouteConfig => ({
  method: 'post',
  path: type,
  operationId: `on ${type}`.replaceAll(/[ ._]([a-z])/g, (_match, letter) => letter.toUpperCase()),
  tags: ['Webhooks'],
  summary: type,
  description,
  security: [],
  ...BETA,
  request: {
    headers: WEBHOOK_HEADERS,
    body: { required: true, content: { 'application/json': { schema } } },
  },
  responses: { '2XX': { description: 'Accepted. Any other response is a failure.' } },
});

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
