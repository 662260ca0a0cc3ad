import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import document from '../../openapi.json' with { type: 'json' };
import type { TestResponse } from './test-response.ts';

/**
 * Checks a request and its response against the OpenAPI document: the operation must document the
 * response, and allow a request that succeeded. Paths and methods without an operation, and all
 * outside /v1, are not checked. @throws if the check fails
 */
export async function requireDocumented(request: Request, response: TestResponse): Promise<void> {
  const { pathname } = new URL(request.url);
  const found = findOperation(request.method, pathname);
  if (found === undefined || response.status === 405) return;
  const { operation, pointer } = found;
  const documented = operation.responses[String(response.status)];
  if (documented === undefined)
    throw new Error(
      `${operation.operationId} does not document ${response.status}, the status of ${request.method} ${pathname}`,
    );
  for (const name of response.headers.keys())
    requireHeader(name, documented.headers, operation.operationId);
  if ('content' in documented && request.method !== 'HEAD') {
    const schema = `${pointer}/responses/${response.status}/content/application~1json/schema`;
    validate(schema, JSON.parse(response.text), 'the response');
  }
  if (response.status < 300 && 'requestBody' in operation) {
    const schema = `${pointer}/requestBody/content/application~1json/schema`;
    validate(schema, await request.json(), 'the request');
  }
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(document, 'openapi.json');

const ESCAPED: Readonly<Record<string, string>> = { '~': '~0', '/': '~1' };
const escapePointer = (part: string): string =>
  part.replaceAll(/[~/]/g, (match) => ESCAPED[match] ?? '');

/** As in the router, a literal segment takes precedence over a parameter. */
const PATHS = Object.entries(document.paths).sort(
  ([a], [b]) => a.split('{').length - b.split('{').length,
);

function findOperation(method: string, pathname: string) {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  for (const [path, item] of PATHS) {
    const pattern = new RegExp(`^/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    const operation = (item as Record<string, DocumentedOperation>)[verb];
    if (pattern.test(pathname) && operation) {
      return {
        operation,
        pointer: `openapi.json#/paths/${encodeURIComponent(escapePointer(path))}/${verb}`,
      };
    }
  }
  return undefined;
}

function validate(pointer: string, value: unknown, what: string): void {
  const check = ajv.getSchema(pointer);
  if (check === undefined) throw new Error(`${pointer} is not in the document`);
  if (!check(value))
    throw new Error(`${what} does not match ${pointer}: ${ajv.errorsText(check.errors)}`);
}

/** Headers of HTTP and of preferences, which the document does not list. */
const UNLISTED = new Set(['content-type', 'content-length', 'connection', 'preference-applied']);

function requireHeader(name: string, documented: object = {}, operationId: string): void {
  const isDocumented = Object.keys(documented).some((known) => known.toLowerCase() === name);
  if (!isDocumented && !UNLISTED.has(name))
    throw new Error(`${operationId} does not document ${name}`);
}
